"""Pictures of textures for the documentation, drawn by a program on the QPUs and texture units of the RTL.

============  =========================================================================
``sampling``  how a texture is looked up: filters, wrap modes, border colour
``textures``  levels of an image or of the faces of a cube, and their bytes in memory
``images``    the images that the pictures show
``drawing``   runs the program `source.qasm` for a view of a texture
``scenes``    which pictures there are, figure by figure
``sheet``     a figure as one picture file, with labels
============  =========================================================================

`python -m vc4sim.textures docs/images` draws all of them again, in lockstep with the model.
"""
