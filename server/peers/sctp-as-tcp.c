/* Lets osmo-msc start where the kernel has no SCTP: its sockets for the radio network, to which nobody connects, are TCP. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>

int socket(int domain, int type, int protocol)
{
    int (*open_socket)(int, int, int) = dlsym(RTLD_NEXT, "socket");
    return open_socket(domain, type, protocol == IPPROTO_SCTP ? 0 : protocol);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
    int (*set_option)(int, int, int, const void *, socklen_t) = dlsym(RTLD_NEXT, "setsockopt");
    return level == IPPROTO_SCTP ? 0 : set_option(fd, level, name, value, length);
}
