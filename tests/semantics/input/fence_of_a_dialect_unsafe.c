// A fence of CPROVER's dialect: with sequentially consistent memory it orders nothing anew.
int ready, data;

int main(void) {
	int seen = 0;
__CPROVER_ASYNC_1:
	({
		data = 1;
		__CPROVER_fence("WWfence", "RRfence");
		ready = 1;
	});
	if (ready) {
		__CPROVER_fence("RRfence");
		seen = data;
		__CPROVER_assert(seen == 0, "nothing was seen");
	}
	return 0;
}
