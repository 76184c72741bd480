#include <threads.h>
int main(void)
{
    mtx_t lock;
    return mtx_init(&lock, mtx_plain);
}
