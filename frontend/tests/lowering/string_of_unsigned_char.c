// unsafe
// A string starts an array of any character type: the character converts to it.
extern void reach_error(void);
unsigned char u[] = "\377a";
int main(void)
{
  unsigned char v[3] = "\200";
  if (u[0] != 255 || u[1] != 'a' || v[0] != 128)
    return 0;
  u[0] ^= 1;
  if (u[0] == 254 && v[1] == 0)
    reach_error();
  return 0;
}
