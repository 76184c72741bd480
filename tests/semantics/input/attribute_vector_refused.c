typedef int four __attribute__((vector_size(16)));
four x;
int main(void) { return x[0]; }
