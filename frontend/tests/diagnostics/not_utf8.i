int x = 1; // ÿş
