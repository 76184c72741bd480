/* philosophers.c for spin: an invalid end state is the deadlock. */
#ifndef SEATS
#define SEATS 4
#endif

bool taken[SEATS];
byte meals;

proctype philosopher(byte seat)
{
	byte first = seat, second = (seat + 1) % SEATS;
#ifdef POLITE
	if
	:: seat == SEATS - 1 -> first = 0; second = seat
	:: else
	fi;
#endif
	do
	:: atomic { !taken[first] -> taken[first] = true };
	   atomic { !taken[second] -> taken[second] = true };
	   meals = 1 - meals;
	   taken[second] = false;
	   taken[first] = false
	od
}

init {
	byte i = 0;
	do
	:: i < SEATS -> run philosopher(i); i++
	:: else -> break
	od
}
