// Linux interfaces that Swift's Glibc module lacks.
#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <netdb.h>

// GNU extensions, which the module map cannot switch on for its reader.

/// accept4(2): the new descriptor is non-blocking and close-on-exec.
int linux_accept_nonblocking(int fd, struct sockaddr *address, socklen_t *length);
/// pthread_setname_np(3) for the calling thread; at most 15 bytes.
void linux_set_thread_name(const char *name);
/// environ(7): Swift takes the variable itself for unsafe shared state.
char **linux_environment(void);
/// sendto(2), with a descriptor when it is not negative (unix(7), SCM_RIGHTS).
ssize_t linux_send_with_descriptor(int file, const void *bytes, size_t count, int descriptor,
                                   const struct sockaddr *address, socklen_t length);
/// SO_PEERCRED (socket(7)): the process, user and group at the other end of a Unix socket; 0 when it worked.
int linux_peer_credentials(int fd, int *process, unsigned *user, unsigned *group);
