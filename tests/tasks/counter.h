// Shared by both files of a task.
struct counter {
    int value;
    int limit;
};
extern struct counter counter;
int next(struct counter *c);
