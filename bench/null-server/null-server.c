/* A server of the Redis protocol that does nothing: GET is answered with a fixed value, everything else with +OK.
 * What it costs is what the kernel costs: the floor under any server of one epoll loop.
 *
 * Level-triggered, one receive per event, one input buffer for all connections; the beginning of a request that is not
 * whole yet is kept aside per connection. All replies of one read leave in one send. When a client does not take its
 * replies, they are kept, and nothing more is read from it until they are gone.
 *
 * usage: null-server PORT [VALUE_BYTES]
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { INPUT_BYTES = 1 << 16, EVENTS_MAX = 256, CONNECTIONS_MAX = 1 << 16, ARGUMENTS_MAX = 1 << 20 };

struct connection {
    char *kept; /* the beginning of a request */
    size_t kept_length;
    char *pending; /* replies that the socket did not take */
    size_t pending_length;
};

static struct connection connections[CONNECTIONS_MAX];
static char *input, *output, *get_reply;
static size_t input_size, output_size, output_length, get_reply_length;
static int epoll;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void *allocate(void *old, size_t bytes) {
    void *memory = realloc(old, bytes);
    if (!memory) fail("memory");
    return memory;
}

static void reply(const char *bytes, size_t length) {
    if (output_length + length > output_size) output = allocate(output, output_size = 2 * (output_length + length));
    memcpy(output + output_length, bytes, length);
    output_length += length;
}

/* Reads "*12\r\n" or "$12\r\n": the bytes read, 0 if there are not enough, -1 if it is something else. */
static long read_length(const char *from, const char *end, char type, long *value) {
    const char *at = from;
    if (at == end) return 0;
    if (*at++ != type) return -1;
    for (*value = 0; at < end && *at >= '0' && *at <= '9' && *value < INT32_MAX; at++) *value = *value * 10 + (*at - '0');
    if (end - at < 2) return 0;
    return at[0] == '\r' && at[1] == '\n' ? at + 2 - from : -1;
}

/* Answers one request: the bytes of it, 0 if it is not whole, -1 if it is none. */
static long answer(const char *from, const char *end) {
    long count, length;
    const char *at = from, *name = NULL;
    long read = read_length(at, end, '*', &count), name_length = 0;
    if (read <= 0) return read;
    if (count > ARGUMENTS_MAX) return -1;
    at += read;
    for (long i = 0; i < count; i++) {
        if ((read = read_length(at, end, '$', &length)) <= 0) return read;
        at += read;
        if (end - at < length + 2) return 0;
        if (i == 0) name = at, name_length = length;
        at += length + 2;
    }
    if (name_length == 3 && strncasecmp(name, "GET", 3) == 0) reply(get_reply, get_reply_length);
    else if (count > 0) reply("+OK\r\n", 5);
    return at - from;
}

static void await(int fd, unsigned events, int operation) {
    struct epoll_event event = {.events = events, .data.fd = fd};
    if (epoll_ctl(epoll, operation, fd, &event) != 0) fail("epoll_ctl");
}

static void end(int fd) {
    struct connection *connection = &connections[fd];
    free(connection->kept);
    free(connection->pending);
    memset(connection, 0, sizeof *connection);
    close(fd);
}

/* False when the connection is broken. */
static int send_replies(int fd) {
    struct connection *connection = &connections[fd];
    ssize_t sent = send(fd, output, output_length, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return 0;
    if (sent < 0) sent = 0;
    if ((size_t)sent == output_length) return 1;
    connection->pending_length = output_length - sent;
    connection->pending = allocate(connection->pending, connection->pending_length);
    memcpy(connection->pending, output + sent, connection->pending_length);
    await(fd, EPOLLOUT, EPOLL_CTL_MOD);
    return 1;
}

static void take_input(int fd) {
    struct connection *connection = &connections[fd];
    size_t kept = connection->kept_length;
    if (input_size < kept + INPUT_BYTES) input = allocate(input, input_size = 2 * (kept + INPUT_BYTES));
    if (kept > 0) memcpy(input, connection->kept, kept);
    ssize_t received = recv(fd, input + kept, input_size - kept, 0);
    if (received < 0 && errno == EAGAIN) return;
    if (received <= 0) {
        end(fd);
        return;
    }
    const char *at = input, *input_end = input + kept + received;
    long read = 0;
    output_length = 0;
    while (at < input_end && (read = answer(at, input_end)) > 0) at += read;
    if (read < 0 || (output_length > 0 && !send_replies(fd))) {
        end(fd);
        return;
    }
    connection->kept_length = input_end - at;
    if (connection->kept_length == 0) return;
    connection->kept = allocate(connection->kept, connection->kept_length);
    memcpy(connection->kept, at, connection->kept_length);
}

static void send_pending(int fd) {
    struct connection *connection = &connections[fd];
    ssize_t sent = send(fd, connection->pending, connection->pending_length, MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) return;
    if (sent < 0) {
        end(fd);
        return;
    }
    connection->pending_length -= sent;
    memmove(connection->pending, connection->pending + sent, connection->pending_length);
    if (connection->pending_length == 0) await(fd, EPOLLIN, EPOLL_CTL_MOD);
}

static void accept_connection(int listener) {
    int one = 1, fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    if (fd >= CONNECTIONS_MAX) {
        close(fd);
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    await(fd, EPOLLIN, EPOLL_CTL_ADD);
}

static int listen_on(int port) {
    int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 511) != 0) fail("listen");
    return fd;
}

int main(int count, char **arguments) {
    if (count < 2) {
        fprintf(stderr, "usage: null-server PORT [VALUE_BYTES]\n");
        return 2;
    }
    size_t value_bytes = count > 2 ? strtoul(arguments[2], NULL, 10) : 256;
    get_reply = allocate(NULL, value_bytes + 32);
    get_reply_length = sprintf(get_reply, "$%zu\r\n", value_bytes);
    memset(get_reply + get_reply_length, 'x', value_bytes);
    memcpy(get_reply + get_reply_length + value_bytes, "\r\n", 2);
    get_reply_length += value_bytes + 2;
    input = allocate(NULL, input_size = INPUT_BYTES);
    output = allocate(NULL, output_size = 1 << 19);

    int listener = listen_on(atoi(arguments[1]));
    epoll = epoll_create1(EPOLL_CLOEXEC);
    await(listener, EPOLLIN, EPOLL_CTL_ADD);
    struct epoll_event events[EVENTS_MAX];
    while (1) {
        int ready = epoll_wait(epoll, events, EVENTS_MAX, -1);
        if (ready < 0 && errno != EINTR) fail("epoll_wait");
        for (int i = 0; i < ready; i++) {
            int fd = events[i].data.fd;
            if (fd == listener) accept_connection(fd);
            else if (connections[fd].pending_length > 0) send_pending(fd);
            else take_input(fd);
        }
    }
}
