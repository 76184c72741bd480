// safe
#include <assert.h>
#include <string.h>
struct point { int x, y; };
struct box { struct point low, high; char tag[3]; unsigned flag : 3, : 2, rest : 4; };
static struct box boxes[2] = { { { 1, 2 }, { 3 }, "ab" }, [1].high.y = 9, [1].flag = 7 };
static struct point make(int x, int y)
{
    struct point p = { .y = y, .x = x };
    return p;
}
static int sum(struct point p)
{
    p.x += p.y;
    return p.x;
}
int main(void)
{
    assert(boxes[0].low.y == 2 && boxes[0].high.x == 3 && boxes[0].high.y == 0);
    assert(boxes[0].tag[1] == 'b' && boxes[0].tag[2] == 0);
    assert(boxes[1].high.y == 9 && boxes[1].flag == 7);
    boxes[1].flag += 2;
    assert(boxes[1].flag == 1);
    struct box copy = boxes[1];
    copy.high = make(4, 5);
    assert(sum(copy.high) == 9 && copy.high.x == 4 && boxes[1].high.y == 9);
    struct point *p = &boxes[0].low;
    p->x = 11;
    (*p).y++;
    p++;
    assert(boxes[0].low.x == 11 && boxes[0].low.y == 3 && p->x == 3 && p - &boxes[0].low == 1);
    int grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }, *q = grid[1];
    assert(grid[1][2] == 6 && q[-1] == 3 && *(q + 1) == 5 && sizeof grid / sizeof grid[0] == 2);
    memset(grid, 0, sizeof grid);
    assert(grid[1][1] == 0);
    memcpy(&copy.low, &boxes[0].low, sizeof(struct point));
    assert(copy.low.x == 11);
    assert(((struct point){ 5, 6 }).y == 6);
    return 0;
}
