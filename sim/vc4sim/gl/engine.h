/* What answers the calls of vc4sim.h. */
#ifndef ENGINE_H
#define ENGINE_H

#include <stdint.h>

/* As in vc4sim.gl.device. */
enum call { CLOSE, RESET, WRITE, READ, RUN };

struct engine {
    void (*open)(void *memory, uint32_t size, const char *server);
    uint32_t (*call)(enum call what, uint32_t offset, uint64_t value);
};

extern const struct engine embedded, remote;

/* Says it and aborts. */
void fail(const char *what) __attribute__((noreturn));

#endif
