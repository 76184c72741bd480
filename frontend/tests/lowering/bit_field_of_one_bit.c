// unsafe
// A signed bit-field of one bit has the values 0 and -1, and a comparison that is stored converts.
extern void reach_error(void);
extern int input(void);
struct s { int b : 1; } g;
int main(void)
{
  int x = input();
  g.b = x > 3;
  if (g.b > 0)
    return 0;
  if (g.b == -1 && x == 4)
    reach_error();
  return 0;
}
