/* rabbits.c for spin. */
#ifndef N
#define N 5
#endif
#ifndef LIMIT
#define LIMIT 144
#endif

int here = 1, there = 1;

active proctype left()
{
	byte k = 0;
	do
	:: k < N -> atomic { here = here + there; k++ }
	:: else -> break
	od
}

active proctype right()
{
	byte k = 0;
	do
	:: k < N -> atomic { there = there + here; k++ }
	:: else -> break
	od
}

active proctype check()
{
	assert(here <= LIMIT);
	assert(there <= LIMIT)
}
