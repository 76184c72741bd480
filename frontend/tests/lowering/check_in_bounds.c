// safe --check memory
int a[4], next;
int main(void) { for (int i = 0; i < 4; i++) a[i] = i; return 0; }
