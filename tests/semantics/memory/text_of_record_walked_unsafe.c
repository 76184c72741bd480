// real: yes
/* The bytes of a record's text, through `void *`. */
#include <assert.h>
#include <pthread.h>
struct person { char name[4]; int age; };
struct person people[2] = { { "Ann", 30 }, { "Bo", 40 } };
void *count(void *name) {
    char *c = name;
    long n = 0;
    while (c[n]) n++;
    return (void *)n;
}
int main(void) {
    pthread_t t;
    void *length_of_name;
    pthread_create(&t, 0, count, people[1].name);
    pthread_join(t, &length_of_name);
    long length = (long)length_of_name;
    assert(length == 3);
    return 0;
}
