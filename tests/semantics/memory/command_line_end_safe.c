// relyant: --check memory
// The list of words ends with a null pointer.
int main(int argc, char **argv) {
    return argv[argc] != 0;
}
