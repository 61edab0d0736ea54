"""The debugger: a run of the model that goes on and back, and stops where somebody wants.

===================  ==============================================================
``moment``           what happens, one thing after the other
``target``           a run: positions, and how to reach them
``program_target``   that of programs of users
``frame_target``     that of a captured frame, with ``watched_shaders``
``checkpoints``      the state of the model, kept
``changes``          what somebody changes in a run
``session``          steps, breakpoints, and the way back
``conditions``       what a run can stop at
``expression``       what people ask for, as text
``state``            registers as numbers
``formats``          numbers as text
``listing``          sources, labels, disassembly
``textures``         what a program looks up, as images
``frame_view``       the tile buffer and control lists
``text``             what is shown, as lines
``console``          commands, one a line
``dap``              the Debug Adapter Protocol, for editors
``tui``              the whole terminal
===================  ==============================================================

All but the last three are a library without input and output, so that these are thin, and say and do the same.
"""
