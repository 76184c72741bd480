// An atomic union whose members are laid out in different ways is beyond us.
union word { int n; struct { short low, high; } s; };
_Atomic union word w;
int main(void) {
    union word x = {5};
    x.s.low = 1;
    w = x;
}
