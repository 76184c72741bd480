// Both names stand for one object.
int a asm("q");
extern int b asm("q");
int main(void) { a = 1; return b; }
