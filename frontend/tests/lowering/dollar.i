// safe
int a$1 = 2, a_1 = 3, __dollar = 4;
int main(void) { int $x = a$1; assert($x == 2 && a_1 == 3); return 0; }
