/* Asks the GPU of a Raspberry Pi 1, 2, 3 or Zero what is in questions.h, and prints its answers.
 *
 *     cc -std=c99 -O2 -Wall -Wextra -Werror -o kit kit.c
 *     sudo ./kit > answers.txt
 *
 * Nothing else may use the GPU: boot without a line dtoverlay=vc4-... in config.txt. The firmware gives memory and power through
 * its mailbox, /dev/vcio; registers and memory are mapped from /dev/mem. With arguments, only questions of these names are asked.
 */
#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "v3d.h"

enum start { PROGRAM, LIST };

/* `words` lie at the begin of `size` bytes, the rest is 0. To words at the bytes `addresses` the address of it all is added. A
 * program begins at byte `first` and has its uniforms at `second`; a list lies from `first` to `second`. */
struct question {
    const char *name, *fingerprint;
    enum start start;
    uint32_t size, first, second, answer, answer_words, word_count, address_count;
    const uint32_t *words;
    const uint16_t *addresses;
};

#include "questions.h"

#define COUNT (sizeof(questions) / sizeof(questions[0]))

/* Tags of the firmware's mailbox. */
#define ALLOCATE 0x3000cu
#define LOCK 0x3000du
#define UNLOCK 0x3000eu
#define RELEASE 0x3000fu
#define ENABLE_QPUS 0x30012u

#define PAGE 4096u
#define REGISTERS 0xc00000u /* behind the other peripherals */
#define NOT_CACHED 4u /* memory that no cache of the system keeps */
#define IS_V3D 0x02443356u /* "V3D", version 2 */
#define POLLS 1000

static int mailbox = -1, is_on;
static uint32_t handle, bus;
static volatile uint32_t *v3d, *memory;

/* Whether the firmware does it; what it answers is in the first of the words. */
static int request(uint32_t tag, uint32_t count, uint32_t *words)
{
    uint32_t message[16] = {0};
    message[0] = sizeof(message);
    message[2] = tag;
    message[3] = 4 * count;
    memcpy(&message[5], words, 4 * count);
    if (ioctl(mailbox, _IOWR(100, 0, char *), message) < 0 || message[1] != 0x80000000u)
        return 0;
    words[0] = message[5];
    return 1;
}

/* The program ends; memory goes back to the firmware, and the GPU is switched off. */
static void finish(int status)
{
    uint32_t unlocked = handle, released = handle, off = 0;
    if (handle) {
        request(UNLOCK, 1, &unlocked);
        request(RELEASE, 1, &released);
    }
    if (is_on)
        request(ENABLE_QPUS, 1, &off);
    exit(status);
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "kit: %s: %s\n", what, why);
    finish(2);
}

static uint32_t property(uint32_t tag, uint32_t word)
{
    if (!request(tag, 1, &word))
        fail("the firmware", "it refuses what its mailbox is asked for");
    return word;
}

static int open_device(const char *path)
{
    int device = open(path, O_RDWR | O_SYNC);
    if (device < 0)
        fail(path, "cannot be opened; is this a Raspberry Pi, and are you root?");
    return device;
}

/* Where the processor sees the peripherals: the second word of what the device tree says of the bus; 0 on later boards. */
static uint32_t peripherals(void)
{
    const char *path = "/proc/device-tree/soc/ranges";
    unsigned char bytes[8] = {0};
    int file = open(path, O_RDONLY);
    uint32_t found = 0;
    if (file >= 0 && read(file, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes))
        found = (uint32_t)bytes[4] << 24 | (uint32_t)bytes[5] << 16 | (uint32_t)bytes[6] << 8 | bytes[7];
    if (!found)
        fail(path, "says nothing of peripherals; is this a Raspberry Pi 1 to 3?");
    close(file);
    return found;
}

static volatile uint32_t *map(int device, uint32_t address, uint32_t size)
{
    void *found = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, device, (off_t)address);
    if (found == MAP_FAILED)
        fail("/dev/mem", "cannot be mapped; boot without dtoverlay=vc4-..., or with iomem=relaxed");
    return found;
}

static uint32_t read_register(uint32_t offset)
{
    return v3d[offset / 4];
}

static void write_register(uint32_t offset, uint32_t word)
{
    v3d[offset / 4] = word;
}

static void power_up(void)
{
    property(ENABLE_QPUS, 1);
    is_on = 1;
    if (read_register(V3D_IDENT0) != IS_V3D)
        fail("there is no VideoCore IV", "Raspberry Pi 4 and later have another GPU");
}

static void open_board(uint32_t size)
{
    uint32_t wanted[3] = {size, PAGE, NOT_CACHED};
    mailbox = open_device("/dev/vcio");
    int device = open_device("/dev/mem");
    v3d = map(device, peripherals() + REGISTERS, PAGE);
    power_up();
    if (!request(ALLOCATE, 3, wanted) || !wanted[0])
        fail("the firmware", "it has no memory; give it more with gpu_mem in config.txt");
    handle = wanted[0];
    bus = property(LOCK, handle);
    memory = map(device, bus & 0x3fffffff, size); /* without the bits that say what caches do */
}

/* What lies in memory; word by word, as the processor must not use anything else there. */
static void load(const struct question *question)
{
    unsigned char *bytes = calloc(question->size, 1);
    if (!bytes)
        fail(question->name, "no memory");
    memcpy(bytes, question->words, 4 * question->word_count);
    for (uint32_t i = 0; i < question->address_count; i++) {
        uint32_t word;
        memcpy(&word, bytes + question->addresses[i], 4);
        word += bus;
        memcpy(bytes + question->addresses[i], &word, 4);
    }
    for (uint32_t i = 0; i < question->size / 4; i++) {
        uint32_t word;
        memcpy(&word, bytes + 4 * i, 4);
        memory[i] = word;
    }
    free(bytes);
}

/* One program at a time, on QPU 0; lists may use all. Caches forget the question before. */
static void set_up(int is_program)
{
    write_register(V3D_DBCFG, 0);
    write_register(V3D_DBQITE, 0);
    write_register(V3D_DBQITC, 0xffff);
    write_register(V3D_INTDIS, 0xf);
    write_register(V3D_VPMBASE, is_program ? 16 : 0);
    write_register(V3D_SQRSV0, is_program ? 0xfffffff0u : 0);
    write_register(V3D_SQRSV1, is_program ? 0xffffffffu : 0);
    write_register(V3D_L2CACTL, V3D_L2CACTL_L2CCLR_MASK);
    write_register(V3D_SLCACTL, 0x0f0f0f0f);
    write_register(V3D_SRQCS, 1u << V3D_SRQCS_QPURQCC_SHIFT | 1u << V3D_SRQCS_QPURQCM_SHIFT | V3D_SRQCS_QPURQERR_MASK);
    write_register(V3D_RFC, 1);
}

static int has_ended(int is_program)
{
    return is_program ? (read_register(V3D_SRQCS) & V3D_SRQCS_QPURQCC_MASK) != 0 : read_register(V3D_RFC) != 0;
}

/* Whether it comes to its end within a second; what does not is stopped by switching the GPU off. */
static int run(const struct question *question)
{
    const struct timespec millisecond = {0, 1000000};
    int is_program = question->start == PROGRAM;
    set_up(is_program);
    if (is_program) {
        write_register(V3D_SRQUA, bus + question->second);
        write_register(V3D_SRQPC, bus + question->first);
    } else {
        write_register(V3D_CT1CS, V3D_CT1CS_CTRSTA_MASK);
        write_register(V3D_CT1CA, bus + question->first);
        write_register(V3D_CT1EA, bus + question->second);
    }
    for (int i = 0; i < POLLS; i++) {
        if (has_ended(is_program))
            return 1;
        nanosleep(&millisecond, NULL);
    }
    property(ENABLE_QPUS, 0);
    power_up();
    return 0;
}

static void ask(const struct question *question)
{
    load(question);
    printf("%s %s", question->name, question->fingerprint);
    if (run(question))
        for (uint32_t i = 0; i < question->answer_words; i++)
            printf(" %08x", (unsigned)memory[question->answer / 4 + i]);
    else
        printf(" does not end");
    printf("\n");
    fflush(stdout);
}

static int is_among(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(name, names[i]))
            return 1;
    return 0;
}

static void check(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (!strcmp(name, questions[i].name))
            return;
    fail(name, "there is no question of this name");
}

int main(int count, char **arguments)
{
    uint32_t size = PAGE;
    for (int i = 1; i < count; i++)
        check(arguments[i]);
    for (size_t i = 0; i < COUNT; i++)
        if (questions[i].size > size)
            size = questions[i].size;
    open_board(size);
    printf("%s %08x %08x %08x\n", FORMAT, (unsigned)read_register(V3D_IDENT0), (unsigned)read_register(V3D_IDENT1),
           (unsigned)read_register(V3D_IDENT2));
    for (size_t i = 0; i < COUNT; i++)
        if (count < 2 || is_among(questions[i].name, count - 1, arguments + 1))
            ask(&questions[i]);
    finish(0);
}
