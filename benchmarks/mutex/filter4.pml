/* filter4.c for spin: each read of a shared variable is a step. */
byte floor[4], last1, last2, last3, visitor;

#define CLIMB(me, a, b, c, f, last) \
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
			:: else -> \
				if \
				:: floor[c] >= f \
				:: else -> break \
				fi \
			fi \
		fi \
	od

#define THREAD(name, me, a, b, c) \
active proctype name() \
{ \
	do \
	:: CLIMB(me, a, b, c, 1, last1); \
	   CLIMB(me, a, b, c, 2, last2); \
	   CLIMB(me, a, b, c, 3, last3); \
	   visitor = me; \
	   assert(visitor == me); \
	   floor[me] = 0 \
	od \
}

THREAD(zero, 0, 1, 2, 3)
THREAD(one, 1, 0, 2, 3)
THREAD(two, 2, 0, 1, 3)
THREAD(three, 3, 0, 1, 2)
