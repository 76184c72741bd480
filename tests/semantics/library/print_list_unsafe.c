// What is written with a list of arguments is any text, and an end.
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
static char line[4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;
static void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    pthread_mutex_lock(&lock);
    vsnprintf(line, sizeof line, format, list);
    lines++;
    pthread_mutex_unlock(&lock);
    va_end(list);
}
static void *run(void *arg)
{
    say("%d %s", 3, "lines");
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    assert(lines == 1);
    pthread_join(t, 0);
    say("end");
    return 0;
}
