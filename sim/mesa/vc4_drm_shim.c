/* A kernel for Mesa's vc4 driver, inside of the process: DRM's render node, whose jobs the GPU of libvc4sim draws.
 *
 * It is built into Mesa's drm-shim, which answers system calls on /dev/dri/renderD128, and beside Mesa's copy of the kernel's
 * validator, which checks and relocates each job as on the chip. All buffers lie in one pool, the memory of the GPU: a bus
 * address is an offset in it, and nothing is copied.
 *
 * Environment: VC4SIM_LIBRARY, the library; VC4SIM_MEMORY, MiB of the pool (default 64); VC4SIM_TILE_MEMORY, KiB that the binner
 * begins with instead of the driver's, so that small scenes run out of it; VC4SIM_LIMIT, for each run; VC4SIM_VERBOSE, a line a
 * job.
 */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "drm-shim/drm_shim.h"
#include "kernel/vc4_drv.h"
#include "kernel/vc4_packet.h"
#include "v3d.h"
#include "vc4sim.h"

bool drm_shim_driver_prefers_first_render_node = true;

#define OVERFLOW_BYTES (512 * 1024)
#define MOST_OVERFLOWS 256
#define MIB (1024 * 1024)

enum {
    FRAME_DONE = V3D_INTCTL_INT_FRDONE_MASK,
    FLUSH_DONE = V3D_INTCTL_INT_FLDONE_MASK,
    OUT_OF_MEMORY = V3D_INTCTL_INT_OUTOMEM_MASK,
    ALL = FRAME_DONE | FLUSH_DONE | OUT_OF_MEMORY
};

struct buffer {
    struct shim_bo base; /* first: the shim's pointers are ours */
    struct drm_vc4_bo vc4;
};

static struct {
    uint8_t *memory;
    uint32_t size;
    uint64_t limit, jobs;
    bool verbose;
    struct drm_device device;
    vc4sim *gpu;
    void (*write)(vc4sim *, uint32_t, uint32_t);
    uint32_t (*read)(vc4sim *, uint32_t);
    uint32_t (*run)(vc4sim *, uint64_t);
    void (*reset)(vc4sim *);
} our;

static int refuse(int error)
{
    errno = error;
    return -1;
}

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

static struct buffer *make(size_t size)
{
    struct buffer *made = calloc(1, sizeof(*made));
    size = align(size, 4096);
    if (drm_shim_bo_init(&made->base, size)) {
        fprintf(stderr, "vc4sim: no room for %zu bytes: raise VC4SIM_MEMORY, which is %u MiB\n", size, our.size / MIB);
        free(made);
        return NULL;
    }
    made->vc4.base.base.size = size;
    made->vc4.base.base.dev = &our.device;
    made->vc4.base.paddr = made->base.mem_addr;
    made->vc4.base.vaddr = our.memory + made->base.mem_addr;
    memset(made->vc4.base.vaddr, 0, size);
    return made;
}

static void forget(struct shim_bo *base)
{
    struct vc4_validated_shader_info *shader = ((struct buffer *)base)->vc4.validated_shader;
    if (shader) {
        free(shader->texture_samples);
        free(shader->uniform_addr_offsets);
        free(shader);
    }
}

static void release(struct buffer *buffer)
{
    forget(&buffer->base);
    mtx_lock(&shim_device.mem_lock);
    util_vma_heap_free(&shim_device.mem_heap, buffer->base.mem_addr, buffer->base.size);
    mtx_unlock(&shim_device.mem_lock);
    free(buffer);
}

/* The validator's own buffers: the lists as they are carried out, and tile memory. */
struct drm_gem_cma_object *drm_gem_cma_create(struct drm_device *device, size_t size)
{
    struct buffer *made = make(size);
    return made ? &made->vc4.base : NULL;
}

static uint32_t handle_of(int fd, struct buffer *buffer)
{
    uint32_t handle = drm_shim_bo_get_handle(drm_shim_fd_lookup(fd), &buffer->base);
    drm_shim_bo_put(&buffer->base);
    return handle;
}

static int create_buffer(int fd, unsigned long request, void *argument)
{
    struct drm_vc4_create_bo *wanted = argument;
    struct buffer *made = make(wanted->size);
    if (!made)
        return refuse(ENOMEM);
    wanted->handle = handle_of(fd, made);
    return 0;
}

static int create_shader(int fd, unsigned long request, void *argument)
{
    struct drm_vc4_create_shader_bo *wanted = argument;
    struct buffer *made = make(wanted->size);
    if (!made)
        return refuse(ENOMEM);
    memcpy(made->vc4.base.vaddr, (void *)(uintptr_t)wanted->data, wanted->size);
    made->vc4.validated_shader = vc4_validate_shader(&made->vc4.base);
    if (!made->vc4.validated_shader) {
        fprintf(stderr, "vc4sim: the kernel refuses a shader\n");
        release(made);
        return refuse(EINVAL);
    }
    wanted->handle = handle_of(fd, made);
    return 0;
}

static int map_buffer(int fd, unsigned long request, void *argument)
{
    struct drm_vc4_mmap_bo *wanted = argument;
    struct shim_fd *shim_fd = drm_shim_fd_lookup(fd);
    struct shim_bo *found = drm_shim_bo_lookup(shim_fd, wanted->handle);
    if (!found)
        return refuse(EINVAL);
    wanted->offset = drm_shim_bo_get_mmap_offset(shim_fd, found);
    drm_shim_bo_put(found);
    return 0;
}

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "vc4sim: %s\n", dlerror());
        abort();
    }
    return found;
}

static void open_gpu(void)
{
    const char *name = getenv("VC4SIM_LIBRARY");
    void *library = dlopen(name ? name : "libvc4sim.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "vc4sim: %s\n", dlerror());
        abort();
    }
    our.write = symbol(library, "vc4sim_write32");
    our.read = symbol(library, "vc4sim_read32");
    our.run = symbol(library, "vc4sim_run");
    our.reset = symbol(library, "vc4sim_reset");
    vc4sim *(*open)(void *, uint32_t) = symbol(library, "vc4sim_open");
    our.gpu = open(our.memory, our.size);
}

/* Starts a list and waits for `done`; what the binner asks for in the meantime goes to `overflows`. */
static int carry_out(uint32_t start_register, uint32_t start, uint32_t end_register, uint32_t end, uint32_t done,
                     struct buffer **overflows)
{
    our.write(our.gpu, start_register, start);
    our.write(our.gpu, end_register, end);
    for (;;) {
        uint32_t why = our.run(our.gpu, our.limit);
        if (why & done) {
            our.write(our.gpu, V3D_INTCTL, done);
            return 0;
        }
        if (!(why & OUT_OF_MEMORY)) {
            fprintf(stderr, "vc4sim: job %" PRIu64 " hangs: list %08x at %08x, ERRSTAT %08x\n", our.jobs, start,
                    our.read(our.gpu, start_register), our.read(our.gpu, V3D_ERRSTAT));
            our.reset(our.gpu);
            return -EIO;
        }
        int count = 0;
        while (overflows[count])
            count++;
        if (count == MOST_OVERFLOWS || !(overflows[count] = make(OVERFLOW_BYTES)))
            return -ENOMEM;
        our.write(our.gpu, V3D_BPOA, overflows[count]->vc4.base.paddr);
        our.write(our.gpu, V3D_BPOS, OVERFLOW_BYTES);
        our.write(our.gpu, V3D_INTCTL, OUT_OF_MEMORY);
    }
}

/* What the kernel does for a job, and its interrupts. */
static int draw(struct vc4_exec_info *job)
{
    struct buffer *overflows[MOST_OVERFLOWS + 1] = {NULL};
    int status = 0;
    our.write(our.gpu, V3D_INTCTL, ALL);
    our.write(our.gpu, V3D_INTENA, ALL);
    our.write(our.gpu, V3D_L2CACTL, V3D_L2CACTL_L2CCLR_MASK);
    our.write(our.gpu, V3D_SLCACTL, 0x0f0f0f0f);
    if (job->ct0ca != job->ct0ea) {
        our.write(our.gpu, V3D_BPOA, 0);
        our.write(our.gpu, V3D_BPOS, 0);
        status = carry_out(V3D_CT0CA, job->ct0ca, V3D_CT0EA, job->ct0ea, FLUSH_DONE, overflows);
    }
    if (!status)
        status = carry_out(V3D_CT1CA, job->ct1ca, V3D_CT1EA, job->ct1ea, FRAME_DONE, overflows);
    for (int count = 0; overflows[count]; count++)
        release(overflows[count]);
    return status;
}

/* The first record of a binning list says how large tile memory is: its first blocks in units of 256, and 1 MiB more. */
static void shrink_tile_memory(struct vc4_exec_info *job)
{
    uint64_t kib = number("VC4SIM_TILE_MEMORY", 0);
    uint32_t *size = (uint32_t *)(our.memory + job->ct0ca + 5);
    if (kib && job->tile_bo)
        *size += kib * 1024 - MIB;
}

static int submit(int fd, unsigned long request, void *argument)
{
    struct drm_vc4_submit_cl *wanted = argument;
    struct vc4_exec_info job = {.args = wanted, .bo_count = wanted->bo_handle_count};
    uint32_t *handles = (uint32_t *)(uintptr_t)wanted->bo_handles;
    list_inithead(&job.unref_list);
    job.bo = calloc(job.bo_count + 1, sizeof(void *));
    for (unsigned index = 0; index < job.bo_count; index++) {
        struct shim_bo *found = drm_shim_bo_lookup(drm_shim_fd_lookup(fd), handles[index]);
        if (!found) {
            free(job.bo);
            return refuse(EINVAL);
        }
        job.bo[index] = &((struct buffer *)found)->vc4.base;
        drm_shim_bo_put(found);
    }
    our.jobs++;
    int status = vc4_cl_validate(&our.device, &job);
    if (status) {
        fprintf(stderr, "vc4sim: the kernel refuses job %" PRIu64 ": %d\n", our.jobs, status);
    } else {
        if (our.verbose)
            fprintf(stderr, "vc4sim: job %" PRIu64 ": lists %08x-%08x and %08x-%08x, %u by %u pixels\n", our.jobs, job.ct0ca,
                    job.ct0ea, job.ct1ca, job.ct1ea, wanted->width, wanted->height);
        if (!our.gpu)
            open_gpu();
        shrink_tile_memory(&job);
        status = draw(&job);
    }
    list_for_each_entry_safe(struct drm_vc4_bo, own, &job.unref_list, unref_head) {
        list_del(&own->unref_head);
        release((struct buffer *)((char *)own - offsetof(struct buffer, vc4)));
    }
    free(job.bo);
    wanted->seqno = our.jobs;
    return status ? refuse(-status) : 0;
}

static int agree(int fd, unsigned long request, void *argument)
{
    return 0;
}

static int get_tiling(int fd, unsigned long request, void *argument)
{
    ((struct drm_vc4_get_tiling *)argument)->modifier = 0;
    return 0;
}

/* The kernel's answers on a Raspberry Pi 3. */
static int get_parameter(int fd, unsigned long request, void *argument)
{
    struct drm_vc4_get_param *asked = argument;
    switch (asked->param) {
    case DRM_VC4_PARAM_V3D_IDENT0:
        asked->value = 0x02443356;
        return 0;
    case DRM_VC4_PARAM_V3D_IDENT1:
        asked->value = 1;
        return 0;
    case DRM_VC4_PARAM_V3D_IDENT2:
    case DRM_VC4_PARAM_SUPPORTS_MADVISE:
    case DRM_VC4_PARAM_SUPPORTS_PERFMON:
        asked->value = 0;
        return 0;
    case DRM_VC4_PARAM_SUPPORTS_BRANCHES:
    case DRM_VC4_PARAM_SUPPORTS_ETC1:
    case DRM_VC4_PARAM_SUPPORTS_THREADED_FS:
    case DRM_VC4_PARAM_SUPPORTS_FIXED_RCL_ORDER:
        asked->value = 1;
        return 0;
    }
    return refuse(EINVAL);
}

static ioctl_fn_t answers[] = {
    [DRM_VC4_SUBMIT_CL] = submit,
    [DRM_VC4_WAIT_SEQNO] = agree, /* a job is done when its call comes back */
    [DRM_VC4_WAIT_BO] = agree,
    [DRM_VC4_CREATE_BO] = create_buffer,
    [DRM_VC4_MMAP_BO] = map_buffer,
    [DRM_VC4_CREATE_SHADER_BO] = create_shader,
    [DRM_VC4_GET_PARAM] = get_parameter,
    [DRM_VC4_SET_TILING] = agree,
    [DRM_VC4_GET_TILING] = get_tiling,
    [DRM_VC4_LABEL_BO] = agree,
};

void drm_shim_driver_init(void)
{
    shim_device.bus_type = DRM_BUS_PLATFORM;
    shim_device.driver_name = "vc4";
    shim_device.driver_ioctls = answers;
    shim_device.driver_ioctl_count = ARRAY_SIZE(answers);
    shim_device.driver_bo_free = forget;

    our.size = number("VC4SIM_MEMORY", 64) * MIB;
    our.limit = number("VC4SIM_LIMIT", UINT64_MAX);
    our.verbose = getenv("VC4SIM_VERBOSE") != NULL;
    our.memory = mmap(NULL, our.size, PROT_READ | PROT_WRITE, MAP_SHARED, shim_device.mem_fd, 0);
    if (our.memory == MAP_FAILED) {
        perror("vc4sim: memory");
        abort();
    }
    /* From low addresses on, but for the first page: 0 is no address. */
    util_vma_heap_finish(&shim_device.mem_heap);
    util_vma_heap_init(&shim_device.mem_heap, 4096, our.size - 4096);
    shim_device.mem_heap.alloc_high = false;

    drm_shim_override_file("OF_FULLNAME=/soc/v3d@7ec00000\n"
                           "OF_COMPATIBLE_N=1\n"
                           "OF_COMPATIBLE_0=brcm,bcm2835-v3d\n",
                           "/sys/dev/char/%d:%d/device/uevent", DRM_MAJOR, render_node_minor);
}
