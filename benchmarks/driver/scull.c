/*
 * A character device in memory, after the idea of scull (Corbet, Rubini and Kroah-Hartman, "Linux Device Drivers",
 * third edition, O'Reilly 2005): the device keeps a list of quantum sets, and one semaphore guards all of it.
 * What the bytes are does not matter here; how many there are, and where, does.
 *
 * Two processes open the device and read, write, seek and send commands in any order. Each marks the device as
 * its own while it reads or writes: nobody else may be inside at that time, and the device's size must not change
 * between the test and the use of it.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

/* Error numbers. */
#define EINVAL 22
#define EFAULT 14
#define ENOMEM 12
#define ENOTTY 25
#define EPERM 1
#define EBUSY 16
#define ERESTARTSYS 512

/* How a file is opened. */
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2

/* From where a seek counts. */
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2

/* Commands. */
#define SCULL_RESET 0
#define SCULL_SET_QUANTUM 1
#define SCULL_GET_QUANTUM 2
#define SCULL_EXCHANGE_QUANTUM 3
#define SCULL_SET_QSET 4
#define SCULL_GET_QSET 5
#define SCULL_EXCHANGE_QSET 6
#define SCULL_TRIM 7
#define SCULL_MAX_COMMAND 7

/* Sizes to begin with. */
#define QUANTUM 4000
#define QSET 1000
#define LARGEST 1000000

/* Settings of the driver, for devices that are trimmed from now on. */
int scull_quantum = QUANTUM;
int scull_qset = QSET;

/* The device. */
pthread_mutex_t dev_sem = PTHREAD_MUTEX_INITIALIZER;
int dev_quantum = QUANTUM; /* bytes in a quantum */
int dev_qset = QSET;       /* quanta in a set */
int dev_sets;              /* sets in the list */
int dev_size;              /* bytes stored */
int dev_access;            /* how many processes have it open */

/* Who reads or writes just now. */
int dev_user;

/* Takes the semaphore, unless a signal arrives first. */
static int down_interruptible(void)
{
	if (__VERIFIER_nondet_int())
		return -ERESTARTSYS;
	pthread_mutex_lock(&dev_sem);
	return 0;
}

static void up(void)
{
	pthread_mutex_unlock(&dev_sem);
}

/* Copies to or from the user's memory; the number of bytes that could not be copied. */
static int copy_user(int count)
{
	int missing;

	missing = __VERIFIER_nondet_int();
	if (missing < 0 || missing > count)
		missing = 0;
	return missing;
}

/* May this process administer the system? */
static int capable(void)
{
	return __VERIFIER_nondet_int() != 0;
}

/* Memory for one more set: 0 when there is none. */
static int allocate_set(void)
{
	return __VERIFIER_nondet_int() != 0;
}

/* Empties the device; the semaphore is held. */
static int scull_trim(void)
{
	while (dev_sets > 0)
		dev_sets = dev_sets - 1;
	dev_size = 0;
	dev_quantum = scull_quantum;
	dev_qset = scull_qset;
	return 0;
}

/* Walks along the list to set `n` and makes what is missing; the semaphore is held. */
static int scull_follow(int n)
{
	int at = 0;

	if (dev_sets == 0) {
		if (!allocate_set())
			return -ENOMEM;
		dev_sets = 1;
	}
	while (at < n) {
		at = at + 1;
		if (dev_sets <= at) {
			if (!allocate_set())
				return -ENOMEM;
			dev_sets = at + 1;
		}
	}
	return 0;
}

/* Number of the set that a position lies in, its sets having `bytes` bytes each. */
static int set_of(int position, int bytes)
{
	int n = 0;

	while (position >= bytes) {
		position = position - bytes;
		n = n + 1;
	}
	return n;
}

/* Opens the device; one that is opened for writing only is emptied first. */
static int scull_open(int mode)
{
	int status;

	status = down_interruptible();
	if (status != 0)
		return status;
	if (mode == O_WRONLY)
		scull_trim();
	dev_access = dev_access + 1;
	up();
	return 0;
}

static int scull_release(void)
{
	pthread_mutex_lock(&dev_sem);
	dev_access = dev_access - 1;
	up();
	return 0;
}

/* Reads up to `count` bytes at `position`; how many were read, or an error. */
static int scull_read(int me, int position, int count)
{
	int result = 0;
	int quantum;
	int left;

	result = down_interruptible();
	if (result != 0)
		return result;
	dev_user = me;
	if (position < dev_size) {
		if (count > dev_size - position)
			count = dev_size - position;
		assert(count > 0);
		/* no further than to the end of this quantum */
		quantum = dev_quantum;
		if (count > quantum)
			count = quantum;
		if (dev_sets > 0) {
			left = copy_user(count);
			if (left > 0)
				result = -EFAULT;
			else
				result = count;
		}
	}
	assert(dev_user == me);
	dev_user = 0;
	up();
	return result;
}

/* Writes up to `count` bytes at `position`; how many were written, or an error. */
static int scull_write(int me, int position, int count)
{
	int result;
	int quantum;
	int set;
	int left;

	result = down_interruptible();
	if (result != 0)
		return result;
	dev_user = me;
	quantum = dev_quantum;
	set = set_of(position, QUANTUM * 4);
	result = scull_follow(set);
	if (result == 0) {
		/* no further than to the end of this quantum */
		if (count > quantum)
			count = quantum;
		left = copy_user(count);
		if (left > 0) {
			result = -EFAULT;
		} else {
			result = count;
			if (dev_size < position + count)
				dev_size = position + count;
			assert(dev_size >= position + count);
		}
	}
	assert(dev_user == me);
	dev_user = 0;
	up();
	return result;
}

/* A new position, or an error. */
static int scull_llseek(int position, int offset, int whence)
{
	int next;

	if (whence == SEEK_SET) {
		next = offset;
	} else if (whence == SEEK_CUR) {
		next = position + offset;
	} else if (whence == SEEK_END) {
		pthread_mutex_lock(&dev_sem);
		next = dev_size + offset;
		up();
	} else {
		return -EINVAL;
	}
	if (next < 0)
		return -EINVAL;
	return next;
}

/* A command to the driver. */
static int scull_ioctl(int command, int argument)
{
	int result = 0;
	int old;

	if (command < 0 || command > SCULL_MAX_COMMAND)
		return -ENOTTY;
	result = down_interruptible();
	if (result != 0)
		return result;
	switch (command) {
	case SCULL_RESET:
		scull_quantum = QUANTUM;
		scull_qset = QSET;
		break;
	case SCULL_SET_QUANTUM:
		if (!capable())
			result = -EPERM;
		else if (argument <= 0 || argument > LARGEST)
			result = -EINVAL;
		else
			scull_quantum = argument;
		break;
	case SCULL_GET_QUANTUM:
		result = scull_quantum;
		break;
	case SCULL_EXCHANGE_QUANTUM:
		if (!capable()) {
			result = -EPERM;
		} else if (argument <= 0 || argument > LARGEST) {
			result = -EINVAL;
		} else {
			old = scull_quantum;
			scull_quantum = argument;
			result = old;
		}
		break;
	case SCULL_SET_QSET:
		if (!capable())
			result = -EPERM;
		else if (argument <= 0 || argument > LARGEST)
			result = -EINVAL;
		else
			scull_qset = argument;
		break;
	case SCULL_GET_QSET:
		result = scull_qset;
		break;
	case SCULL_EXCHANGE_QSET:
		if (!capable()) {
			result = -EPERM;
		} else if (argument <= 0 || argument > LARGEST) {
			result = -EINVAL;
		} else {
			old = scull_qset;
			scull_qset = argument;
			result = old;
		}
		break;
	case SCULL_TRIM:
		if (!capable())
			result = -EPERM;
		else if (dev_access > 1)
			result = -EBUSY;
		else
			scull_trim();
		break;
	default:
		result = -ENOTTY;
	}
	up();
	return result;
}

/* What a process does with the device once it is open. */
static void session(int me)
{
	int position = 0;
	int what;
	int count;
	int result;

	while (__VERIFIER_nondet_int()) {
		what = __VERIFIER_nondet_int();
		if (what == 0) {
			count = __VERIFIER_nondet_int();
			if (count > 0 && count <= LARGEST) {
				result = scull_read(me, position, count);
				if (result > 0)
					position = position + result;
			}
		} else if (what == 1) {
			count = __VERIFIER_nondet_int();
			if (count > 0 && count <= LARGEST) {
				result = scull_write(me, position, count);
				if (result > 0)
					position = position + result;
			}
		} else if (what == 2) {
			result = scull_llseek(position, __VERIFIER_nondet_int(), __VERIFIER_nondet_int());
			if (result >= 0)
				position = result;
		} else {
			result = scull_ioctl(what - 3, __VERIFIER_nondet_int());
		}
	}
}

/* A process that reads and writes. */
void *editor(void *arg)
{
	if (scull_open(O_RDWR) != 0)
		return 0;
	session(1);
	scull_release();
	return 0;
}

/* A process that opens the device for writing, which empties it. */
void *recorder(void *arg)
{
	if (scull_open(O_WRONLY) != 0)
		return 0;
	session(2);
	scull_release();
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, editor, 0);
	pthread_create(&b, 0, recorder, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
