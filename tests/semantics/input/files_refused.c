// Files have contents that the program depends on.
#include <stdio.h>
int main(void) {
    FILE *f = fopen("x", "r");
    return fgetc(f);
}
