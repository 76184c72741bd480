// Two tilers lay one floor each, of one size: one row after row, the other column after column. They need as many tiles. With SHORT the
// columns of the second one are a tile short.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int rows, columns, first, second;

void *by_rows(void *unused)
{
	for (int r = 0; r < rows; r++)
		first = first + columns;
	return 0;
}

void *by_columns(void *unused)
{
	for (int c = 0; c < columns; c++) {
#ifdef SHORT
		second = second - 1;
#endif
		second = second + rows;
	}
	return 0;
}

int main(void)
{
	rows = __VERIFIER_nondet_int();
	columns = __VERIFIER_nondet_int();
	if (rows < 0 || rows > 1000 || columns < 0 || columns > 1000)
		return 0;
	pthread_t r, c;
	pthread_create(&r, 0, by_rows, 0);
	pthread_create(&c, 0, by_columns, 0);
	pthread_join(r, 0);
	pthread_join(c, 0);
	assert(first == second);
	return 0;
}
