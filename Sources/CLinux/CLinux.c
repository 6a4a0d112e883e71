#define _GNU_SOURCE
#include "CLinux.h"
#include <pthread.h>
#include <unistd.h>

int linux_accept_nonblocking(int fd, struct sockaddr *address, socklen_t *length) {
  return accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

void linux_set_thread_name(const char *name) {
  pthread_setname_np(pthread_self(), name);
}

char **linux_environment(void) {
  return environ;
}
