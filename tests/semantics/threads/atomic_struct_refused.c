// A member of an atomic struct is not accessed alone.
struct pair { int a, b; };
_Atomic struct pair p;
int main(void) {
    struct pair q = {1, 2};
    p = q;
    p.a = 3;
}
