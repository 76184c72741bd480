/* What the executable says of itself: symbols, and where calls stand. And how something is said. */

static void say(const char *format, ...) {
    char text[1000];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > (int)sizeof text - 1) n = sizeof text - 1;
    if (n > 0) syscall(SYS_write, 2, text, n); /* the program may have a write of its own */
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

struct site {
    const void *pc; /* behind the call */
    const char *file;
    int line, column;
};


#ifndef WANTED
#define WANTED(type, name) ((type) == STT_OBJECT || (type) == STT_TLS)
#endif
struct symbol {
    uintptr_t start, size;
    const char *name;
    int local; /* of a thread */
};
static struct symbol *symbols;
static int symbol_count;
extern struct site __start_relyant_sites[] __attribute__((weak)), __stop_relyant_sites[] __attribute__((weak));
static struct site *sites;
static int site_count;

static int by_start(const void *a, const void *b) {
    const struct symbol *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}
static int by_pc(const void *a, const void *b) {
    const struct site *x = a, *y = b;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}
static int first_image(struct dl_phdr_info *info, size_t size, void *bias) {
    (void)size;
    *(uintptr_t *)bias = info->dlpi_addr;
    return 1;
}
static void *room(size_t bytes) {
    return mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void read_executable(void) {
    site_count = __start_relyant_sites ? __stop_relyant_sites - __start_relyant_sites : 0;
    sites = room(site_count * sizeof *sites);
    if (site_count) memcpy(sites, __start_relyant_sites, site_count * sizeof *sites);
    qsort(sites, site_count, sizeof *sites, by_pc);

    /* System calls: the program may have objects of its own that are called open. */
    int fd = syscall(SYS_open, "/proc/self/exe", O_RDONLY);
    if (fd < 0) return;
    size_t size = syscall(SYS_lseek, fd, 0, SEEK_END);
    char *image = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    syscall(SYS_close, fd);
    if (image == MAP_FAILED) return;
    uintptr_t bias = 0;
    dl_iterate_phdr(first_image, &bias);
    ElfW(Ehdr) *head = (void *)image;
    ElfW(Shdr) *sections = (void *)(image + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB) continue;
        ElfW(Sym) *all = (void *)(image + sections[i].sh_offset);
        int n = sections[i].sh_size / sizeof *all;
        const char *names = image + sections[sections[i].sh_link].sh_offset;
        symbols = room(n * sizeof *symbols);
        for (int k = 0; k < n; k++) {
            int type = ELF64_ST_TYPE(all[k].st_info);
            if (!WANTED(type, names + all[k].st_name) || all[k].st_shndx == SHN_UNDEF || !all[k].st_size) continue;
            struct symbol *s = &symbols[symbol_count++];
            s->local = type == STT_TLS;
            s->start = s->local ? 0 : all[k].st_value + bias;
            s->size = all[k].st_size;
            s->name = names + all[k].st_name;
        }
    }
    qsort(symbols, symbol_count, sizeof *symbols, by_start);
}

static const struct symbol *symbol_at(uintptr_t address) {
    int low = 0, high = symbol_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (symbols[middle].start <= address) low = middle + 1; else high = middle;
    }
    const struct symbol *s = low ? &symbols[low - 1] : NULL;
    return s && !s->local && address < s->start + s->size ? s : NULL;
}

static const struct site *site_of(const void *pc) {
    int low = 0, high = site_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sites[middle].pc < pc) low = middle + 1; else high = middle;
    }
    return low < site_count && sites[low].pc == pc ? &sites[low] : NULL;
}
