/* Plays the driver for one job: draw MEMORY CT0CA CT0EA CT1CA CT1EA [BPOA BPOS]; memory is the file. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <vc4sim.h>

enum { INTCTL = 0x30, INTENA = 0x34, L2CACTL = 0x20, SLCACTL = 0x24, CT0CA = 0x110, CT0EA = 0x108, BPOA = 0x308, BPOS = 0x30c };
enum { FRAME_DONE = 1, FLUSH_DONE = 2, OUT_OF_MEMORY = 4, ALL = 7 };

static uint32_t number(const char *text) { return (uint32_t)strtoul(text, NULL, 0); }

int main(int argc, char **argv)
{
    struct stat status;
    int file = open(argv[1], O_RDWR);
    if (fstat(file, &status))
        return 3;
    void *memory = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    vc4sim *gpu = vc4sim_open(memory, (uint32_t)status.st_size);
    vc4sim_write32(gpu, INTENA, 0xf);
    vc4sim_reset(gpu);
    if (vc4sim_read32(gpu, INTENA))
        return 4;
    printf("%08x\n", vc4sim_read32(gpu, 0));
    vc4sim_write32(gpu, INTENA, ALL);
    vc4sim_write32(gpu, L2CACTL, 4);
    vc4sim_write32(gpu, SLCACTL, 0x0f0f0f0f);
    for (uint32_t thread = 0; thread < 2; thread++) {
        uint32_t start = number(argv[2 + 2 * thread]), end = number(argv[3 + 2 * thread]), why;
        if (start == end)
            continue;
        vc4sim_write32(gpu, CT0CA + 4 * thread, start);
        vc4sim_write32(gpu, CT0EA + 4 * thread, end);
        while ((why = vc4sim_run(gpu, 1u << 30)) == OUT_OF_MEMORY && argc > 7) {
            vc4sim_write32(gpu, BPOA, number(argv[6]));
            vc4sim_write32(gpu, BPOS, number(argv[7]));
            vc4sim_write32(gpu, INTCTL, OUT_OF_MEMORY);
            argc = 0;
        }
        printf("%x\n", why);
        vc4sim_write32(gpu, INTCTL, why);
    }
    vc4sim_close(gpu);
    return 0;
}
