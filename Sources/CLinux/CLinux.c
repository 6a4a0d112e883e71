#define _GNU_SOURCE
#include "CLinux.h"
#include <pthread.h>
#include <string.h>
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

ssize_t linux_send_with_descriptor(int file, const void *bytes, size_t count, int descriptor,
                                   const struct sockaddr *address, socklen_t length) {
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control = {0};
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {
      .msg_name = (void *)address, .msg_namelen = length, .msg_iov = &part, .msg_iovlen = 1};
  if (descriptor >= 0) {
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  return sendmsg(file, &message, MSG_NOSIGNAL);
}

int linux_peer_credentials(int fd, int *process, unsigned *user, unsigned *group) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
  *process = peer.pid;
  *user = peer.uid;
  *group = peer.gid;
  return 0;
}
