// reason: the run relies on the value of `pthread_attr_getdetachstate`
/* What is set in an attribute object is not kept: the value that is read is no refutation. */
#include <assert.h>
#include <pthread.h>
int main(void) {
    pthread_attr_t attribute;
    int state;
    pthread_attr_init(&attribute);
    pthread_attr_setdetachstate(&attribute, PTHREAD_CREATE_DETACHED);
    pthread_attr_getdetachstate(&attribute, &state);
    assert(state == PTHREAD_CREATE_DETACHED);
    return 0;
}
