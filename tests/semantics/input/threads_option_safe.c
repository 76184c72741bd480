// relyant: --threads left:right
// Two functions that start at once, from a state that `glb_init` constrains.
int turn, x;
void glb_init(int);
void assert(int);
void left(void) {
    glb_init(turn == 0 || turn == 1);
    glb_init(x == 0);
    while (turn != 0) ;
    x = x + 1;
    assert(x == 1|| x == 2);
    turn = 1;
}
void right(void) {
    while (turn != 1) ;
    x = x + 1;
    turn = 0;
}
