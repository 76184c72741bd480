// The last member of the struct is at the bytes of another element than the one that is counted to.
struct s {
    int x;
    short u, w;
    int y;
};
int a[4];
int main(void) {
    void *v = a;
    struct s *p = v;
    p->y = 7;
    return a[2];
}
