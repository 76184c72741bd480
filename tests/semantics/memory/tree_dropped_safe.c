// relyant: --property valid-memsafety
// A tree that is given back by a function that calls itself.
#include <stdlib.h>
struct node {
    struct node *left, *right;
    int key;
};
static struct node *root;
static void insert(int key)
{
    struct node **p = &root;
    while (*p)
        p = key < (*p)->key ? &(*p)->left : &(*p)->right;
    *p = calloc(1, sizeof **p);
    (*p)->key = key;
}
static void drop(struct node *n)
{
    if (!n)
        return;
    drop(n->left);
    drop(n->right);
    free(n);
}
int main(void)
{
    insert(2);
    insert(1);
    drop(root);
    root = 0;
    return 0;
}
