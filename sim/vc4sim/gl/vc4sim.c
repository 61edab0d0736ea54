/* vc4sim.h: each call is answered by Python, in this process or in one that is the server. */
#include <stdio.h>
#include <stdlib.h>
#include "vc4sim.h"
#include "engine.h"

#define PUBLIC __attribute__((visibility("default")))

/* The one there is. */
struct vc4sim {
    const struct engine *engine;
};

static vc4sim the_gpu;

void fail(const char *what)
{
    fprintf(stderr, "vc4sim: %s\n", what);
    abort();
}

static uint32_t call(vc4sim *gpu, enum call what, uint32_t offset, uint64_t value)
{
    if (!gpu->engine)
        fail("the GPU is closed");
    return gpu->engine->call(what, offset, value);
}

PUBLIC vc4sim *vc4sim_open(void *memory, uint32_t size)
{
    if (the_gpu.engine)
        fail("a process has one GPU");
    const char *server = getenv("VC4_SERVER");
    const struct engine *engine = server ? &remote : &embedded;
    engine->open(memory, size, server);
    the_gpu.engine = engine;
    return &the_gpu;
}

PUBLIC void vc4sim_close(vc4sim *gpu)
{
    call(gpu, CLOSE, 0, 0);
    gpu->engine = NULL;
}

PUBLIC void vc4sim_reset(vc4sim *gpu)
{
    call(gpu, RESET, 0, 0);
}

PUBLIC void vc4sim_write32(vc4sim *gpu, uint32_t offset, uint32_t word)
{
    call(gpu, WRITE, offset, word);
}

PUBLIC uint32_t vc4sim_read32(vc4sim *gpu, uint32_t offset)
{
    return call(gpu, READ, offset, 0);
}

PUBLIC uint32_t vc4sim_run(vc4sim *gpu, uint64_t limit)
{
    return call(gpu, RUN, 0, limit);
}
