// With OpenMP these are several threads.
int sum;
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < 10; i++) sum += i;
    return sum;
}
