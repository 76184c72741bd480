/*
 * The order violation in asynchronous input and output (async_broken.c) mended: the thread holds its lock from before
 * it hands out the request until it has noted that it is pending, and the completion takes the same lock.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

/* Where a request is. */
#define FREE 0   /* nobody uses it */
#define QUEUED 1 /* handed to the device */
#define ACTIVE 2 /* the device works on it */
#define DONE 3   /* completed, its results not yet collected */

/* Results of a request. */
#define NO_ERROR 0
#define END_OF_FILE 1
#define BUSY 2

/* What is asked of the device. */
#define READ 0
#define WRITE 1

pthread_mutex_t thread_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the thread's record */
pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;  /* guards the request */

/* The thread's record. */
int io_pending; /* it waits for a completion */
int io_error;   /* result of the last request */
int io_count;   /* bytes moved by the last request */

/* The request. */
int place = FREE;
int direction;
int wanted;

/* The file. */
int file_size = 100;
int file_offset;

/* Hands a request to the device; BUSY when there is one already. */
static int start_request(int what, int count)
{
	int error;

	pthread_mutex_lock(&queue_lock);
	if (place != FREE) {
		error = BUSY;
	} else {
		direction = what;
		wanted = count;
		place = QUEUED;
		error = NO_ERROR;
	}
	pthread_mutex_unlock(&queue_lock);
	return error;
}

/* Waits until the completion has cleared the note. */
static void wait_for_completion(void)
{
	int pending;

	do {
		pthread_mutex_lock(&thread_lock);
		pending = io_pending;
		pthread_mutex_unlock(&thread_lock);
	} while (pending != 0);
}

/* Gives a completed request back. */
static void release_request(void)
{
	pthread_mutex_lock(&queue_lock);
	if (place == DONE)
		place = FREE;
	pthread_mutex_unlock(&queue_lock);
}

/* Reads or writes `count` bytes; the number of bytes moved, or -1. */
static int transfer(int what, int count)
{
	int error;
	int moved;

	pthread_mutex_lock(&thread_lock);
	error = start_request(what, count);
	if (error == NO_ERROR)
		io_pending = 1;
	pthread_mutex_unlock(&thread_lock);
	if (error != NO_ERROR)
		return -1;
	wait_for_completion();
	pthread_mutex_lock(&thread_lock);
	error = io_error;
	moved = io_count;
	pthread_mutex_unlock(&thread_lock);
	release_request();
	if (error != NO_ERROR)
		return -1;
	return moved;
}

/* Called by the device when a request is complete: `error` and `count` are its results. */
static void completed(int error, int count)
{
	pthread_mutex_lock(&thread_lock);
	assert(io_pending == 1);
	io_error = error;
	io_count = count;
	io_pending = 0;
	pthread_mutex_lock(&queue_lock);
	place = DONE;
	pthread_mutex_unlock(&queue_lock);
	pthread_mutex_unlock(&thread_lock);
}

/* A thread of the program that reads and writes. */
void *client(void *arg)
{
	int moved;
	int done = 0;

	while (__VERIFIER_nondet_int()) {
		if (__VERIFIER_nondet_int())
			moved = transfer(READ, 10);
		else
			moved = transfer(WRITE, 10);
		if (moved > 0)
			done = done + 1;
	}
	return 0;
}

/* The device. */
void *device(void *arg)
{
	int what;
	int count;
	int error;
	int found;

	while (1) {
		found = 0;
		pthread_mutex_lock(&queue_lock);
		if (place == QUEUED) {
			place = ACTIVE;
			what = direction;
			count = wanted;
			found = 1;
		}
		pthread_mutex_unlock(&queue_lock);
		if (found != 0) {
			error = NO_ERROR;
			if (what == READ) {
				if (file_offset >= file_size) {
					error = END_OF_FILE;
					count = 0;
				} else if (file_offset + count > file_size) {
					count = file_size - file_offset;
				}
			}
			if (error == NO_ERROR) {
				file_offset = file_offset + count;
				if (file_offset > file_size)
					file_size = file_offset;
			}
			completed(error, count);
		}
	}
}

int main(void)
{
	pthread_t c, d;

	pthread_create(&d, 0, device, 0);
	pthread_create(&c, 0, client, 0);
	pthread_join(c, 0);
	return 0;
}
