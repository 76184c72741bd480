// Labels of a switch inside a loop inside it.
#include <assert.h>
int main(void) {
    int count = 7, sent = 0, n = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { sent++;
    case 3:      sent++;
    case 2:      sent++;
    case 1:      sent++;
            } while (--n > 0);
    }
    assert(sent == 8);
}
