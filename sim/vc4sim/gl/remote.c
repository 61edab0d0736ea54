/* A GPU in another process, which is reached by a socket and has the same memory: see vc4sim.gl.server. */
#include <inttypes.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>
#include "engine.h"

struct request {
    uint32_t call, offset;
    uint64_t value;
};

/* If it is bad, `word` bytes of text follow. */
struct reply {
    uint32_t is_bad, word;
};

static int server;

/* A descriptor of the file that is mapped at `memory`, and where in the file. */
static int descriptor_of(void *memory, uint64_t *offset)
{
    char line[512];
    uint64_t start, end, first, inode = 0;
    unsigned major, minor;
    char shared;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof(line), maps))
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*c%*c%*c%c %" SCNx64 " %x:%x %" SCNu64, &start, &end, &shared, &first,
                   &major, &minor, &inode) == 7 &&
            start <= (uintptr_t)memory && (uintptr_t)memory < end)
            break;
    if (maps)
        fclose(maps);
    if (!inode || shared != 's')
        fail("memory is not shared, so no server can see it: map it from a file, as memfd_create makes them");
    *offset = first + ((uintptr_t)memory - start);
    int found = -1;
    DIR *folder = opendir("/proc/self/fd");
    for (struct dirent *entry; folder && found < 0 && (entry = readdir(folder));) {
        struct stat status;
        int each = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && !fstat(each, &status) && status.st_ino == inode &&
            status.st_dev == makedev(major, minor))
            found = each;
    }
    if (folder)
        closedir(folder);
    if (found < 0)
        fail("the file of memory is closed, so no server can see it");
    return found;
}

static void receive(void *bytes, size_t size)
{
    if (recv(server, bytes, size, MSG_WAITALL) != (ssize_t)size)
        fail("the server has gone");
}

static uint32_t answer(void)
{
    struct reply reply;
    receive(&reply, sizeof(reply));
    if (!reply.is_bad)
        return reply.word;
    char *text = calloc(1, reply.word + 1);
    receive(text, reply.word);
    fail(text);
}

static void start(void *memory, uint32_t size, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct request request = {.offset = size};
    int descriptor = descriptor_of(memory, &request.value);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server < 0 || connect(server, (struct sockaddr *)&address, sizeof(address))) {
        fprintf(stderr, "vc4sim: VC4_SERVER is %s: %s\n", path, strerror(errno));
        abort();
    }
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.head = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))}};
    memcpy(CMSG_DATA(&control.head), &descriptor, sizeof(int));
    struct iovec part = {&request, sizeof(request)};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
    if (sendmsg(server, &message, MSG_NOSIGNAL) != sizeof(request))
        fail("the server has gone");
    answer();
}

static uint32_t call(enum call what, uint32_t offset, uint64_t value)
{
    if (what == CLOSE) {
        close(server);
        return 0;
    }
    struct request request = {what, offset, value};
    if (send(server, &request, sizeof(request), MSG_NOSIGNAL) != sizeof(request))
        fail("the server has gone");
    return answer();
}

const struct engine remote = {start, call};
