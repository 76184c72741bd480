/* mcs3.c for spin: a node's number is its place and one, 0 is none. */
#ifndef ROUNDS
#define ROUNDS 2
#endif

byte next[4], tail, visitor;
bool waits[4];

proctype thread(byte me)
{
	byte before, after, i = 0;
	do
	:: i < ROUNDS ->
		next[me] = 0;
		atomic { before = tail; tail = me };
		if
		:: before != 0 ->
			waits[me] = 1;
			next[before] = me;
			!waits[me]
		:: else
		fi;
		visitor = me;
		assert(visitor == me);
		after = next[me];
		if
		:: after == 0 ->
			if
			:: atomic { tail == me -> tail = 0 }; goto done
			:: atomic { tail != me -> skip }
			fi;
			atomic { next[me] != 0 -> after = next[me] }
		:: else
		fi;
		waits[after] = 0;
done:
		before = 0;
		after = 0;
		i++
	:: else -> break
	od
}

init {
	atomic { run thread(1); run thread(2); run thread(3) };
	_nr_pr == 1
}
