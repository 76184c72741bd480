int x;
int main(void) {
    glb_init(x == 1);
    return 0;
}
