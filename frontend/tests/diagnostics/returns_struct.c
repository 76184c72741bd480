struct pair { int a, b; };
static struct pair make(void) { struct pair p = { 1, 2 }; return p; }
int main(void) { return make().a; }
