// A handler may run at any step.
#include <signal.h>
int x;
void handler(int s) { x = s; }
int main(void) {
    signal(SIGINT, handler);
}
