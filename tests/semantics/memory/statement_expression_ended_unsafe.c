// An object of a block in an expression ends with that; a struct that is its value is copied.
// relyant: --property valid-memsafety
// violation: access to an object
int main(void) {
    int *p = ({
        int own = 1;
        &own;
    });
    return *p - 1;
}
