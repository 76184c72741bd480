_Static_assert(sizeof(int) == 8, "wide");
int main(void) { return 0; }
