/* Plays the driver for one job: draw MEMORY CT0CA CT0EA CT1CA CT1EA [BPOA BPOS]; memory is the file. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <v3d.h>
#include <vc4sim.h>

enum {
    FRAME_DONE = V3D_INTCTL_INT_FRDONE_MASK,
    FLUSH_DONE = V3D_INTCTL_INT_FLDONE_MASK,
    OUT_OF_MEMORY = V3D_INTCTL_INT_OUTOMEM_MASK,
    ALL = FRAME_DONE | FLUSH_DONE | OUT_OF_MEMORY
};

static uint32_t number(const char *text) { return (uint32_t)strtoul(text, NULL, 0); }

int main(int argc, char **argv)
{
    struct stat status;
    int file = open(argv[1], O_RDWR);
    if (fstat(file, &status))
        return 3;
    void *memory = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    vc4sim *gpu = vc4sim_open(memory, (uint32_t)status.st_size);
    vc4sim_write32(gpu, V3D_INTENA, 0xf);
    vc4sim_reset(gpu);
    if (vc4sim_read32(gpu, V3D_INTENA))
        return 4;
    printf("%08x\n", vc4sim_read32(gpu, 0));
    vc4sim_write32(gpu, V3D_INTENA, ALL);
    vc4sim_write32(gpu, V3D_L2CACTL, V3D_L2CACTL_L2CCLR_MASK);
    vc4sim_write32(gpu, V3D_SLCACTL, 0x0f0f0f0f);
    for (uint32_t thread = 0; thread < 2; thread++) {
        uint32_t start = number(argv[2 + 2 * thread]), end = number(argv[3 + 2 * thread]), why;
        if (start == end)
            continue;
        vc4sim_write32(gpu, V3D_CT0CA + 4 * thread, start);
        vc4sim_write32(gpu, V3D_CT0EA + 4 * thread, end);
        while ((why = vc4sim_run(gpu, 1u << 30)) == OUT_OF_MEMORY && argc > 7) {
            vc4sim_write32(gpu, V3D_BPOA, number(argv[6]));
            vc4sim_write32(gpu, V3D_BPOS, number(argv[7]));
            vc4sim_write32(gpu, V3D_INTCTL, OUT_OF_MEMORY);
            argc = 0;
        }
        printf("%x\n", why);
        vc4sim_write32(gpu, V3D_INTCTL, why);
    }
    vc4sim_close(gpu);
    return 0;
}
