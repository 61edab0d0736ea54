"""What the QPUs of a slice share besides texture units: uniforms, and varyings."""
