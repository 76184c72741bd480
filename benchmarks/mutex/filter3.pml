/* filter3.c for spin: each read of a shared variable is a step. */
byte floor[3], last1, last2, visitor;

#define CLIMB(me, a, b, f, last) \
	floor[me] = f; \
	last = me; \
	do \
	:: last != me -> break \
	:: else -> \
		if \
		:: floor[a] >= f \
		:: else -> \
			if \
			:: floor[b] >= f \
			:: else -> break \
			fi \
		fi \
	od

#define THREAD(name, me, a, b) \
active proctype name() \
{ \
	do \
	:: CLIMB(me, a, b, 1, last1); \
	   CLIMB(me, a, b, 2, last2); \
	   visitor = me; \
	   assert(visitor == me); \
	   floor[me] = 0 \
	od \
}

THREAD(zero, 0, 1, 2)
THREAD(one, 1, 0, 2)
THREAD(two, 2, 0, 1)
