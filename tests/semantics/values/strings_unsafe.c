// Strings are arrays of characters; what the library does with them, it does one by one.
#include <assert.h>
#include <string.h>

char *name = "abc";
char buffer[10] = "hi";
char *names[] = {"x", "yy", "zzz"};

int main(void) {
    unsigned long total = 0;
    for (int i = 0; i < 3; i++)
        total += strlen(names[i]);
    assert(total == 6 && name[1] == 'b' && sizeof("abc") == 4);
    assert(strcmp(name, "abc") == 0 && strcmp(name, "abd") < 0 && strcmp("b", name) > 0);
    strcat(buffer, name);
    assert(strlen(buffer) == 5 && buffer[2] == 'a');
    strcpy(buffer, names[1]);
    assert(buffer[1] == 'y' && buffer[2] == 0 && buffer[3] == 'c');
    strncpy(buffer, "q", 4);
    assert(buffer[0] == 'q' && buffer[3] == 0);
    assert(strncmp("abc", "abd", 2) == 0 && *strchr(name, 'c') == 'c' && strchr(name, 'z') == 0);
    return 0;
}
