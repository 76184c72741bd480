// relyant: --check memory
// violation: access to an object that is gone
int main(void) {
    int *last = 0, sum = 0;
    for (int i = 0; i < 3; i++) {
        int k = i;
        if (last)
            sum += *last;
        last = &k;
        sum += *last;
    }
    return sum;
}
// compiled: the next round has its object at the same address
