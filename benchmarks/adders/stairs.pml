/* stairs.c for spin. */
#ifndef N
#define N 10
#endif
#ifndef LIMIT
#define LIMIT (2 * N)
#endif

int low, high;

active proctype lower()
{
	byte k = 0;
	int seen;
	do
	:: k < N -> seen = high; low = seen + 1; k++
	:: else -> break
	od
}

active proctype upper()
{
	byte k = 0;
	int seen;
	do
	:: k < N -> seen = low; high = seen + 1; k++
	:: else -> break
	od
}

active proctype check()
{
	int seen;
	seen = low;
	assert(seen <= LIMIT);
	seen = high;
	assert(seen <= LIMIT)
}
