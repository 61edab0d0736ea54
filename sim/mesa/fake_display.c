/* A display for programs that draw on a console: one screen that is always connected, on which a new frame is seen at once.
 *
 * It is loaded before libdrm, whose functions for displays it takes the place of. Environment: VC4SIM_DISPLAY, WIDTHxHEIGHT
 * (default 256x256).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#define NODE "/dev/dri/renderD128"

static uint32_t crtc = 1, connector = 2, encoder = 3;

/* The frame that waits to be seen, and the program's word for it. */
static struct {
    int waits;
    unsigned frames;
    void *data;
} flip;

static drmModeModeInfo mode(void)
{
    unsigned width = 256, height = 256;
    const char *size = getenv("VC4SIM_DISPLAY");
    if (size && sscanf(size, "%ux%u", &width, &height) != 2) {
        fprintf(stderr, "vc4sim: VC4SIM_DISPLAY is %s: it is WIDTHxHEIGHT\n", size);
        abort();
    }
    drmModeModeInfo made = {.name = "simulated", .type = DRM_MODE_TYPE_PREFERRED, .vrefresh = 60};
    made.hdisplay = made.hsync_start = made.hsync_end = made.htotal = width;
    made.vdisplay = made.vsync_start = made.vsync_end = made.vtotal = height;
    made.clock = width * height * made.vrefresh / 1000;
    return made;
}

int drmOpen(const char *name, const char *bus) { return open(NODE, O_RDWR | O_CLOEXEC); }
int drmSetMaster(int fd) { return 0; }
int drmDropMaster(int fd) { return 0; }
int drmIsMaster(int fd) { return 1; }

drmModeResPtr drmModeGetResources(int fd)
{
    drmModeResPtr made = calloc(1, sizeof(*made));
    made->count_crtcs = made->count_connectors = made->count_encoders = 1;
    made->crtcs = &crtc;
    made->connectors = &connector;
    made->encoders = &encoder;
    made->max_width = made->max_height = 2048;
    return made;
}

drmModeConnectorPtr drmModeGetConnector(int fd, uint32_t id)
{
    drmModeConnectorPtr made = calloc(1, sizeof(*made));
    made->connector_id = connector;
    made->connector_type = DRM_MODE_CONNECTOR_VIRTUAL;
    made->encoder_id = encoder;
    made->connection = DRM_MODE_CONNECTED;
    made->count_modes = made->count_encoders = 1;
    made->modes = malloc(sizeof(*made->modes));
    made->modes[0] = mode();
    made->encoders = &encoder;
    return made;
}

drmModeEncoderPtr drmModeGetEncoder(int fd, uint32_t id)
{
    drmModeEncoderPtr made = calloc(1, sizeof(*made));
    made->encoder_id = encoder;
    made->crtc_id = crtc;
    made->possible_crtcs = 1;
    return made;
}

drmModeCrtcPtr drmModeGetCrtc(int fd, uint32_t id)
{
    drmModeCrtcPtr made = calloc(1, sizeof(*made));
    made->crtc_id = crtc;
    made->mode = mode();
    made->mode_valid = 1;
    made->width = made->mode.hdisplay;
    made->height = made->mode.vdisplay;
    return made;
}

/* Programs go on using what they have freed of this. */
void drmModeFreeConnector(drmModeConnectorPtr made) {}
void drmModeFreeResources(drmModeResPtr made) { free(made); }
void drmModeFreeEncoder(drmModeEncoderPtr made) { free(made); }
void drmModeFreeCrtc(drmModeCrtcPtr made) { free(made); }
drmModePlaneResPtr drmModeGetPlaneResources(int fd) { return NULL; }

/* The display shows nothing: what is drawn is seen by the GPU's own record. */
static int show(uint32_t *id)
{
    *id = 1;
    return 0;
}

int drmModeAddFB(int fd, uint32_t width, uint32_t height, uint8_t depth, uint8_t bits, uint32_t pitch, uint32_t buffer,
                 uint32_t *id)
{
    return show(id);
}

int drmModeAddFB2(int fd, uint32_t width, uint32_t height, uint32_t format, const uint32_t buffers[4],
                  const uint32_t pitches[4], const uint32_t offsets[4], uint32_t *id, uint32_t flags)
{
    return show(id);
}

int drmModeAddFB2WithModifiers(int fd, uint32_t width, uint32_t height, uint32_t format, const uint32_t buffers[4],
                               const uint32_t pitches[4], const uint32_t offsets[4], const uint64_t modifiers[4],
                               uint32_t *id, uint32_t flags)
{
    return show(id);
}

int drmModeRmFB(int fd, uint32_t id) { return 0; }

int drmModeSetCrtc(int fd, uint32_t id, uint32_t buffer, uint32_t x, uint32_t y, uint32_t *connectors, int count,
                   drmModeModeInfoPtr wanted)
{
    return 0;
}

int drmModePageFlip(int fd, uint32_t id, uint32_t buffer, uint32_t flags, void *data)
{
    flip.waits = 1;
    flip.data = data;
    return 0;
}

int drmHandleEvent(int fd, drmEventContextPtr handlers)
{
    if (flip.waits && handlers->page_flip_handler) {
        flip.waits = 0;
        handlers->page_flip_handler(fd, ++flip.frames, 0, 0, flip.data);
    }
    return 0;
}
