// A function without a body that returns a pointer.
int *find(int key);
int main(void) {
    int *p = find(3);
    return *p;
}
