// reason: no proof: a pointer is moved further than any object is large
// A distance that was meant for bytes, in objects: no object is there.
struct inner {
    int n;
};
struct outer {
    char *name;
    struct inner in;
};
extern void reach_error(void);
struct outer o;
int main(void)
{
    struct inner *p = &o.in;
    struct outer *q = (struct outer *)(p + 0xfffffffffffffff8UL);
    if (q->name)
        reach_error();
}
