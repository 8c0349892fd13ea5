/* Load generator: keep-alive HTTP/1.1 connections that each send the next request of a file as soon as the last one is answered.
 *
 * load ADDRESS CONNECTIONS SECONDS FILE     ADDRESS is ip:port or a path of a Unix socket.
 * FILE holds requests as they go over the wire, each after its length (u32, little-endian). They are sent in order, by whichever connection is
 * free, round and round for SECONDS; with 0 seconds each is sent once.
 * Prints one JSON object: requests, errors (status other than 2xx), seconds, rps and latencies in microseconds.
 * Single thread, epoll: on a machine with two cores it takes one, the server the other.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { HEAD = 16384, SAMPLES = 1 << 22 };

typedef struct {
    int fd;
    double begun;
    size_t sent, size;  /* of the request under way */
    const char *request;
    char head[HEAD];
    size_t n_head;      /* bytes of the head read so far */
    long body_left;     /* -1 while the head is incomplete */
    int status;
} client;

static struct { const char *data; uint32_t size; } *requests;
static size_t n_requests, n_issued;
static float *samples;
static size_t n_samples, n_errors;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void load_requests(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        die(path);
    long size = ftell(file);
    char *data = malloc((size_t)size);
    rewind(file);
    if (!data || fread(data, 1, (size_t)size, file) != (size_t)size)
        die(path);
    fclose(file);
    for (long at = 0; at + 4 <= size;) {
        uint32_t length;
        memcpy(&length, data + at, 4);
        at += 4;
        if ((long)length > size - at)
            break;
        requests = realloc(requests, (n_requests + 1) * sizeof *requests);
        if (!requests)
            die("realloc");
        requests[n_requests].data = data + at;
        requests[n_requests++].size = length;
        at += length;
    }
    if (!n_requests) {
        fprintf(stderr, "no requests in %s\n", path);
        exit(1);
    }
}

static int dial(const char *address)
{
    int fd;
    const char *colon = strrchr(address, ':');
    if (address[0] == '/') {
        struct sockaddr_un to = {.sun_family = AF_UNIX};
        snprintf(to.sun_path, sizeof to.sun_path, "%s", address);
        fd = socket(AF_UNIX, SOCK_STREAM, 0);
        if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to))
            die("connect");
    } else {
        char host[64] = {0};
        struct sockaddr_in to = {.sin_family = AF_INET};
        if (!colon || colon - address >= (long)sizeof host) {
            fprintf(stderr, "ADDRESS is ip:port or a path\n");
            exit(1);
        }
        memcpy(host, address, (size_t)(colon - address));
        to.sin_port = htons((uint16_t)atoi(colon + 1));
        if (inet_pton(AF_INET, host, &to.sin_addr) != 1)
            die(host);
        fd = socket(AF_INET, SOCK_STREAM, 0);
        int on = 1;
        if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to))
            die("connect");
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

static void push(client *c, int epoll)
{
    while (c->sent < c->size) {
        ssize_t n = send(c->fd, c->request + c->sent, c->size - c->sent, MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN)
            die("send");
        if (n < 0)
            break;
        c->sent += (size_t)n;
    }
    struct epoll_event event = {.events = EPOLLIN | (c->sent < c->size ? EPOLLOUT : 0), .data.ptr = c};
    epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &event);
}

static void next(client *c, int epoll)
{
    size_t pick = n_issued++ % n_requests;
    c->request = requests[pick].data;
    c->size = requests[pick].size;
    c->sent = c->n_head = 0;
    c->body_left = -1;
    c->begun = now();
    push(c, epoll);
}

static void answered(client *c)
{
    if (n_samples < SAMPLES)
        samples[n_samples] = (float)((now() - c->begun) * 1e6);
    n_samples++;
    n_errors += c->status / 100 != 2;
}

/* 1 when the response is complete */
static int pull(client *c)
{
    static char sink[1 << 16];
    for (;;) {
        char *into = c->body_left < 0 ? c->head + c->n_head : sink;
        size_t room = c->body_left < 0 ? HEAD - 1 - c->n_head : sizeof sink;
        ssize_t n = recv(c->fd, into, room, 0);
        if (n < 0 && errno == EAGAIN)
            return 0;
        if (n <= 0) {
            fprintf(stderr, "connection lost: %s\n", n ? strerror(errno) : "closed by the server");
            exit(1);
        }
        if (c->body_left >= 0) {
            c->body_left -= n;
        } else {
            c->n_head += (size_t)n;
            c->head[c->n_head] = 0;
            char *end = strstr(c->head, "\r\n\r\n");
            if (!end)
                continue;
            char *length = strcasestr(c->head, "\r\ncontent-length:");
            c->status = atoi(c->head + 9);
            c->body_left = (length && length < end ? atol(length + 17) : 0) - (long)(c->head + c->n_head - end - 4);
        }
        if (c->body_left <= 0)
            return 1;
    }
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: load ADDRESS CONNECTIONS SECONDS FILE\n");
        return 2;
    }
    int n = atoi(argv[2]), epoll = epoll_create1(0);
    double seconds = atof(argv[3]);
    load_requests(argv[4]);
    client *clients = calloc((size_t)n, sizeof *clients);
    samples = malloc(SAMPLES * sizeof *samples);
    if (n < 1 || !clients || !samples || epoll < 0)
        die("start");
    for (int i = 0; i < n; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[i]};
        clients[i].fd = dial(argv[1]);
        epoll_ctl(epoll, EPOLL_CTL_ADD, clients[i].fd, &event);
    }
    double begun = now(), end = begun + seconds;
    int open = 0;
    for (; open < n && (seconds > 0 || n_issued < n_requests); open++)
        next(&clients[open], epoll);
    while (open) {
        struct epoll_event events[64];
        int ready = epoll_wait(epoll, events, 64, 10000);
        if (ready <= 0) {
            fprintf(stderr, "no answer within 10 s\n");
            return 1;
        }
        for (int i = 0; i < ready; i++) {
            client *c = events[i].data.ptr;
            if (events[i].events & EPOLLOUT)
                push(c, epoll);
            if ((events[i].events & EPOLLIN) && pull(c)) {
                answered(c);
                if (seconds > 0 ? now() < end : n_issued < n_requests)
                    next(c, epoll);
                else
                    open--;
            }
        }
    }
    double took = now() - begun;
    size_t kept = n_samples < SAMPLES ? n_samples : SAMPLES;
    qsort(samples, kept, sizeof *samples, ascending);
    printf("{\"requests\":%zu,\"errors\":%zu,\"seconds\":%.3f,\"rps\":%.1f,\"p50_us\":%.1f,\"p90_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f}\n",
           n_samples, n_errors, took, n_samples / took, samples[kept / 2], samples[kept * 9 / 10], samples[kept * 99 / 100], samples[kept - 1]);
    return 0;
}
