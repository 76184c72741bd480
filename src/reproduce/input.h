/* Functions that read the process's input, for runtime.c: what they read is given by the run, in the order of the models of
 * the verifier (a flag whether there is more, then a character). */

static long long take(const char *name) { return input(name, NULL); }

int __wrap_getchar(void) { return take("getchar") ? -1 : (unsigned char)take("getchar"); }

char *__wrap_fgets(char *s, int n, FILE *file) {
    (void)file;
    int k = 0;
    if (n <= 0 || take("fgets")) return NULL;
    while (k < n - 1 && (k == 0 || take("fgets"))) {
        s[k] = (char)take("fgets");
        if (s[k++] == '\n') break;
    }
    s[k] = 0;
    return s;
}

ssize_t __wrap_getline(char **line, size_t *size, FILE *file) {
    (void)file;
    size_t k = 0;
    if (take("getline")) return -1;
    if (!*line) *size = 120, *line = malloc(*size);
    do {
        char c = (char)take("getline");
        if (k + 1 >= *size) *size *= 2, *line = realloc(*line, *size);
        (*line)[k++] = c;
        if (c == '\n') break;
    } while (take("getline"));
    (*line)[k] = 0;
    return (ssize_t)k;
}

int __wrap_getopt(int count, char *const *words, const char *options) {
    (void)count, (void)words;
    static char value[17];
    size_t n = strlen(options), k = 0;
    optind = (int)((unsigned)take("getopt") % 1000000u) + 1;
    if (take("getopt")) return -1;
    optarg = NULL;
    if (!n || take("getopt")) {
        optopt = (unsigned char)take("getopt");
        return options[0] == ':' && take("getopt") ? ':' : '?';
    }
    n = (unsigned long)take("getopt") % n;
    if (options[n + 1] == ':' && (options[n + 2] != ':' || take("getopt"))) {
        while (k < sizeof value - 1 && take("getopt")) value[k++] = (char)take("getopt");
        value[k] = 0;
        optarg = value;
    }
    return (unsigned char)options[n];
}

/* What it converts is written to objects with a name, as far as the run has it. */
static int scan(const char *name, const void *pc) {
    int s = event((struct event){'i', 0, 0, site_of(pc), name});
    if (s < 0) return 0;
    lock();
    for (int k = following[s]; k == current && k < STEPS && steps[k].line == steps[s].line; k = self->next) {
        if (steps[k].kind == 'i' ? strcmp(steps[k].object, name) != 0 : steps[k].kind != 'w') break;
        for (int i = 0; i < symbol_count && steps[k].kind == 'w'; i++)
            if (!symbols[i].local && !*steps[k].suffix && named(symbols[i].name, steps[k].object))
                set((void *)symbols[i].start, symbols[i].size, k);
        current = k + 1;
        self->next = self->at = following[k];
    }
    unlock();
    return (int)steps[s].value;
}
#define SCANS(name)                                                                                                    \
    int __wrap_##name() { return scan(#name, CALLER); }                                                                \
    int __wrap___isoc99_##name() { return scan(#name, CALLER); }
SCANS(scanf) SCANS(sscanf) SCANS(fscanf)
