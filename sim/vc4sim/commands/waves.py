"""tmp"""
def register(c): pass
