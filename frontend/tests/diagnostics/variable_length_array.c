int sum(int n, int (*rows)[n])
{
    return rows[0][1];
}
int main(int argc, char **argv)
{
    int rows[2][2] = {{1, 2}, {3, 4}};
    return sum(2, rows);
}
