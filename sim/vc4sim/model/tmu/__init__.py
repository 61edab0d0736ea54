"""The texture and memory lookup unit of the model; `docs/reference/tmu.md` has every formula with its reason.

Everything is an integer of a stated width. Kernels work on one element, texel or channel at a time.

===============  ==================================================================
``parameters``   the config parameters of a lookup as one texture
``formats``      texel types: how large, how decoded
``etc1``         texels of ETC1 blocks
``layout``       levels of an image, coordinates of a texel to its address
``coordinates``  floats to fixed point, wrap modes, faces of a cube
``lod``          level of detail: of a quad, and what follows from it
``filter``       blends of texels and levels
``reader``       reads of memory
``texels``       texels of a level, from memory to their channels
``sampler``      a texture lookup, put together
``fifos``        FIFOs of the QPUs: requests, results, general lookups, swap
``unit``         a unit by itself, for lookups without a program
===============  ==================================================================
"""
