__int128 wide;
int main(void) { return wide == 0; }
