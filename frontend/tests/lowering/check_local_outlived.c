// unsafe --check memory
#include <pthread.h>
void *child(void *p) { *(int *)p = 1; return 0; }
pthread_t start(void) { int mine = 0; pthread_t t; pthread_create(&t, 0, child, &mine); return t; }
int main(void) { pthread_t t = start(); pthread_join(t, 0); return 0; }
