/*
 * A list with a line for each of a thousand members, or as many as MEMBERS says, who sign in the line of their number.
 * Once main has waited for all of them, no line is empty. SHY: the one with number 7 does not sign.
 */
#include <assert.h>
#include <pthread.h>

#ifndef MEMBERS
#define MEMBERS 1000
#endif

int list[MEMBERS];

void *member(void *arg)
{
	long number = (long)arg;
#ifdef SHY
	if (number == 7)
		return 0;
#endif
	list[number] = 1;
	return 0;
}

int main(void)
{
	pthread_t members[MEMBERS];

	for (long i = 0; i < MEMBERS; i++)
		pthread_create(&members[i], 0, member, (void *)i);
	for (int i = 0; i < MEMBERS; i++)
		pthread_join(members[i], 0);
	for (int i = 0; i < MEMBERS; i++)
		assert(list[i] == 1);
	return 0;
}
