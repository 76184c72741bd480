// relyant: --check memory
// violation: access outside of
// Nothing is behind the null pointer that ends the list of words.
int main(int argc, char **argv) {
    return argv[argc + 1] != 0;
}
