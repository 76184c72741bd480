// An object of a block in an expression ends with that; a struct that is its value is copied.
// relyant: --property valid-memsafety
struct pair {
    int a, b;
};
int main(void) {
    int kept = 0;
    int *p = ({
        int own = 1;
        kept += own;
        &kept;
    });
    struct pair q = ({
        struct pair inner = {1, 2};
        inner;
    });
    return *p + q.b - 3;
}
