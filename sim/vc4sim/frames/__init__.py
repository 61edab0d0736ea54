"""Control lists on the RTL: what comes of them, compared with the model.

``items``     what binner and renderer get, in a form that both have
``expected``  what the model hands them
``job``       a run of control lists
``front``     the RTL, from control lists to shaded vertices
"""
