"""Control lists on the RTL: what comes of them, compared with the model.

``job``             a run of control lists up to shaded vertices
``front``           the RTL runs it
``items``           what binner and renderer get, in a form that both have
``expected``        what the model hands them
``lockstep``        the model beside such a run
``binned``          memory after the binner of the model
``draw``            the RTL draws a frame
``activity``        what its blocks were busy with, and when each tile was drawn
``places``          names for quads, pixels, bytes of memory
``followed``        the model's renderer, whose fragments somebody else shades
``draw_lockstep``   the model beside a run that draws
``host``            captured frames, job by job
``__main__``        a table of what limits captured frames
"""
