struct chain { int v; struct chain rest[2]; };
static struct chain c;
int main(void) { return c.v; }
