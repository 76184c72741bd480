// unsafe --threads one:two
int x, *p = &x;
one() { *p = 1; }
two() { assert(x == 0); }
