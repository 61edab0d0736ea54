"""The simulators as a library: NumPy arrays in the memory of a GPU, programs and frames on any engine. `vc4sim` has its names.

``gpu``        a GPU with its memory
``array``      arrays in that memory
``registers``  its registers
``execute``    runs programs on an engine, perhaps with the model beside it
``presets``    which configuration a program needs
``result``     what a run has come to, with its statistics
``draw``       draws frames
``frame``      what comes of a frame
"""
