// Floating-point values that no assertion depends on are in nobody's way.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

double area, width;
int parts;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *part(void *arg) {
    double mine = 4.0 / (1 + width * width);
    pthread_mutex_lock(&m);
    area += mine * width;
    parts++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t a, b;
    width = 0.5;
    pthread_create(&a, 0, part, 0);
    pthread_create(&b, 0, part, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    printf("%f\n", area);
    assert(parts == 1);
    return 0;
}
