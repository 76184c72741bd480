// safe --check memory
#include <pthread.h>
void *child(void *p) { *(int *)p = 1; return 0; }
void start(void) { int mine = 0; pthread_t t; pthread_create(&t, 0, child, &mine); pthread_join(t, 0); }
int main(void) { start(); start(); return 0; }
