// An atomic struct has no steps of its own here.
struct pair { int a, b; };
_Atomic struct pair p;
int main(void) {
    struct pair q = {1, 2};
    p = q;
}
