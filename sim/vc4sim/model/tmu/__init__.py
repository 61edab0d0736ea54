"""The texture and memory lookup unit of the model; `docs/reference/tmu.md` has every formula with its reason.

Everything is an integer of a stated width. Sixteen elements are one array, as they pass the hardware in four quads.

===============  ==================================================================
``parameters``   the config parameters of a lookup as one texture
``formats``      texel types: how large, how decoded
``etc1``         texels of ETC1 blocks
``layout``       coordinates of a texel to its address
``coordinates``  floats to fixed point, wrap modes, faces of a cube
``lod``          level of detail: of a quad, and what follows from it
``filter``       blends of texels and levels
``sampler``      a texture lookup, put together
``port``         FIFOs of a QPU: requests, results, general lookups, swap
===============  ==================================================================
"""
