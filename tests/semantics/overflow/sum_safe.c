// relyant: --property no-overflow
int sum;
int main(void) {
    for (int i = 0; i < 10; i++)
        sum += i;
    return 0;
}
