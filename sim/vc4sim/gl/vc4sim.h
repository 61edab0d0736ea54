/* The GPU as a library: what a driver sees of the hardware, which is registers, memory and an interrupt.
 *
 * Addresses are offsets in the memory that `vc4sim_open` gets; nothing is copied. Registers are byte offsets as in section 10
 * of the VideoCore IV 3D Architecture Reference Guide: IDENT0 is 0. The GPU is what the environment says: see docs/user/library.md.
 *
 * A call that makes no sense (a register that does not exist, a second GPU in a process) and an engine that fails print one
 * line and abort. Calls may come from any thread, one after the other.
 */
#ifndef VC4SIM_H
#define VC4SIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vc4sim vc4sim;

/* A GPU as after power-on, in front of `size` bytes, which stay valid until `vc4sim_close`. */
vc4sim *vc4sim_open(void *memory, uint32_t size);
void vc4sim_close(vc4sim *gpu);

/* As after power-on again; memory stays as it is. */
void vc4sim_reset(vc4sim *gpu);

void vc4sim_write32(vc4sim *gpu, uint32_t offset, uint32_t word);
uint32_t vc4sim_read32(vc4sim *gpu, uint32_t offset);

/* Lets the GPU work until an enabled interrupt has come, or nothing more can happen, or for `limit` clocks (on the model: steps,
 * one of both control lists or an instruction of every QPU). Returns INTCTL & INTENA: 0 says that it rests, waits for ever, or
 * works on; CTnCS and PCS say which. Nothing happens outside of it. */
uint32_t vc4sim_run(vc4sim *gpu, uint64_t limit);

#ifdef __cplusplus
}
#endif
#endif
