int main(void)
{
    break;
}
