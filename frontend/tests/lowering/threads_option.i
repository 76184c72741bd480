// safe --threads one:two
int turn, NONDET, x;
main() { glb_init(turn == 0 || turn == 1); }
one() { int t; t = NONDET; while (turn != 0); { __blockattribute__((atomic)) x = x + t; x = x - t; } turn = 1; }
two() { assert(turn <= 1 && turn >= 0); assert(x == 0); }
