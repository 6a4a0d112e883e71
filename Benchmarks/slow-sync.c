/* Preloaded by Benchmarks/durable: each sync takes SYNC_DELAY_US microseconds longer, as on a slower disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static long delay(void) {
  static long microseconds = -1;
  if (microseconds < 0) {
    const char *text = getenv("SYNC_DELAY_US");
    microseconds = text ? atol(text) : 0;
  }
  return microseconds;
}

static void wait_as_a_disk(void) {
  struct timespec time = {delay() / 1000000, delay() % 1000000 * 1000};
  nanosleep(&time, NULL);
}

int fdatasync(int fd) {
  int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
  wait_as_a_disk();
  return real(fd);
}

/* LMDB writes its meta page through a descriptor of its own, opened with O_DSYNC (mdb.c, me_mfd). */
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite");
  int flags = fcntl(fd, F_GETFL);
  if (flags >= 0 && (flags & O_DSYNC)) wait_as_a_disk();
  return real(fd, bytes, count, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t offset) {
  return pwrite(fd, bytes, count, offset);
}
