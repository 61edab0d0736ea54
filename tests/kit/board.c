/* A Raspberry Pi for a program that is preloaded with this: the mailbox of the firmware, and /dev/mem with registers and memory.
 *
 * The GPU is a server's, see vc4sim.gl.server. Nothing may touch the page of registers: each access faults, is done by the
 * server, and then the processor makes one step with the page open. Whatever reads a register lets the GPU work before. */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include "engine.h"

enum tag { ALLOCATE = 0x3000c, LOCK, UNLOCK, RELEASE, ENABLE = 0x30012 };

#define PAGE 4096u
#define PERIPHERALS 0x3f000000u
#define REGISTERS (PERIPHERALS + 0xc00000u)
#define PLACE 0x100000u            /* of the memory that is given, as the processor sees it */
#define ALIAS 0xc0000000u          /* where the GPU sees memory, past all caches */
#define MEMORY (ALIAS + 0x200000u) /* bytes from address 0 on */
#define STEPS 2000
#define TRAP_FLAG 0x100

static int vcio = -1, mem = -1, ram = -1;
static char *registers;
static uint32_t handle, accessed;
static int writes;

void fail(const char *what)
{
    fprintf(stderr, "board: %s\n", what);
    abort();
}

static void protect(int how)
{
    if (mprotect(registers, PAGE, how))
        fail("mprotect");
}

static void touch(int number, siginfo_t *about, void *context)
{
    greg_t *state = ((ucontext_t *)context)->uc_mcontext.gregs;
    char *place = about->si_addr;
    if (!registers || place < registers || place >= registers + PAGE)
        fail("an access outside of all memory");
    accessed = place - registers;
    writes = state[REG_ERR] >> 1 & 1;
    protect(PROT_READ | PROT_WRITE);
    if (!writes) {
        remote.call(RUN, 0, STEPS);
        *(uint32_t *)place = remote.call(READ, accessed, 0);
    }
    state[REG_EFL] |= TRAP_FLAG;
    (void)number;
}

static void touched(int number, siginfo_t *about, void *context)
{
    if (writes)
        remote.call(WRITE, accessed, *(uint32_t *)(registers + accessed));
    protect(PROT_NONE);
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    (void)number;
    (void)about;
}

static void catch(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    if (sigaction(number, &action, NULL))
        fail("sigaction");
}

static void *map(int descriptor, size_t size, uint32_t offset)
{
    int kind = descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_NORESERVE;
    int how = descriptor < 0 ? PROT_NONE : PROT_READ | PROT_WRITE;
    return (void *)syscall(SYS_mmap, NULL, size, how, kind, descriptor, (off_t)offset);
}

static void begin(void)
{
    ram = memfd_create("memory", 0);
    if (ram < 0 || ftruncate(ram, MEMORY))
        fail("no memory");
    remote.open(map(ram, MEMORY, 0), MEMORY, getenv("VC4_SERVER"));
    catch(SIGSEGV, touch);
    catch(SIGTRAP, touched);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    if (!strcmp(path, "/proc/device-tree/soc/ranges")) {
        unsigned char ranges[12] = {0x7e, 0, 0, 0, getenv("BOARD_IS_LATER") ? 0 : PERIPHERALS >> 24, 0, 0, 0, 1, 0, 0, 0};
        int file = memfd_create("ranges", 0);
        if (write(file, ranges, sizeof(ranges)) != sizeof(ranges) || lseek(file, 0, SEEK_SET))
            fail("no file");
        return file;
    }
    int *known = !strcmp(path, "/dev/vcio") ? &vcio : !strcmp(path, "/dev/mem") ? &mem : NULL;
    int found = syscall(SYS_openat, AT_FDCWD, known ? "/dev/null" : path, flags, mode);
    if (known)
        *known = found;
    if (known == &vcio)
        begin();
    return found;
}

static uint32_t property(const uint32_t *words, enum tag tag)
{
    switch (tag) {
    case ALLOCATE:
        if (getenv("BOARD_HAS_NO_MEMORY"))
            return 0;
        if (handle || words[1] % PAGE || words[0] > MEMORY - ALIAS - PLACE)
            fail("memory is allocated twice, at no page, or too much of it");
        return handle = 7;
    case LOCK:
    case UNLOCK:
        if (words[0] != handle)
            fail("a wrong handle");
        return tag == LOCK ? ALIAS + PLACE : 0;
    case RELEASE:
        if (words[0] != handle)
            fail("a wrong handle");
        handle = 0;
        fprintf(stderr, "board: memory is given back\n");
        return 0;
    case ENABLE:
        remote.call(RESET, 0, 0);
        fprintf(stderr, "board: power %s\n", words[0] ? "on" : "off");
        return 0;
    }
    fail("an unknown tag");
}

int ioctl(int descriptor, unsigned long request, ...)
{
    va_list more;
    va_start(more, request);
    uint32_t *message = va_arg(more, uint32_t *);
    va_end(more);
    if (descriptor != vcio)
        return syscall(SYS_ioctl, descriptor, request, message);
    uint32_t size = message[0], value = message[3];
    if (request != _IOWR(100, 0, char *) || message[1] || message[4] || 24 + value > size || message[5 + value / 4])
        fail("a message that is not of this mailbox");
    message[5] = property(&message[5], message[2]);
    message[1] = 0x80000000;
    return 0;
}

void *mmap(void *wanted, size_t size, int how, int flags, int descriptor, off_t offset)
{
    if (descriptor != mem || descriptor < 0)
        return (void *)syscall(SYS_mmap, wanted, size, how, flags, descriptor, offset);
    if (offset == REGISTERS && size == PAGE)
        return registers = map(-1, PAGE, 0);
    if (offset < PLACE || offset + size > PLACE + MEMORY - ALIAS)
        fail("an address that is nobody's");
    return map(ram, size, ALIAS + offset);
}
