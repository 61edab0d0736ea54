"""What control records have said about primitives and fragments, as set-up, front end and shaders take it."""

from vc4.records.control import ControlCode, Role
from vc4.records.state import (
    ClipWindow,
    ConfigurationBits,
    DepthOffset,
    FlatShadeFlags,
    LineWidth,
    PointSize,
    RhtXBoundary,
    ViewportOffset,
    ZClippingPlanes,
)

from ..cle.control_records import ControlRecord
from ..cle.fields import Fields, packing
from ..cle.shader_records import SHADER_LAYOUTS, ShaderRecord, read_shader_record
from ..fep.fep import Window
from ..fep.fragments import FragmentProgram
from ..memory import Memory
from ..ptb.clip_window import clip_window
from ..qpu.fragment_state import FragmentModes
from .pse import Z_FRACTION, SetUpState, z_of

__all__ = ["DrawState"]

_ONE = 0x3F80_0000
#: The state at first: everything is 0, but for these.
_LAYOUTS = {
    ControlCode.CONFIGURATION_BITS: ConfigurationBits,
    ControlCode.FLAT_SHADE_FLAGS: FlatShadeFlags,
    ControlCode.POINT_SIZE: PointSize,
    ControlCode.LINE_WIDTH: LineWidth,
    ControlCode.RHT_X_BOUNDARY: RhtXBoundary,
    ControlCode.DEPTH_OFFSET: DepthOffset,
    ControlCode.CLIP_WINDOW: ClipWindow,
    ControlCode.VIEWPORT_OFFSET: ViewportOffset,
    ControlCode.Z_CLIPPING_PLANES: ZClippingPlanes,
}
_FIRST = {
    ControlCode.POINT_SIZE: {"point_size": _ONE},
    ControlCode.LINE_WIDTH: {"line_width": _ONE},
    ControlCode.Z_CLIPPING_PLANES: {"maximum_zw": _ONE},
}


class DrawState:
    """The state between two primitives.

    shader : the last shader state
    """

    def __init__(self) -> None:
        self.shader: ControlRecord | None = None
        self._record: ShaderRecord | None = None
        self._fields = {code: packing(layout).unpack(0) for code, layout in _LAYOUTS.items()}
        for code, values in _FIRST.items():
            self._fields[code] = Fields(**(vars(self._fields[code]) | values))
        self._set_up: SetUpState | None = None

    def take(self, record: ControlRecord) -> bool:
        """A record; returns whether it is state of primitives, a shader among it."""
        if record.kind.role is Role.SHADER:
            self.shader, self._record = record, None
            return True
        if record.code not in self._fields:
            return False
        self._fields[record.code] = record.fields
        self._set_up = None
        return True

    @property
    def configuration(self) -> Fields:
        """The configuration bits."""
        return self._fields[ControlCode.CONFIGURATION_BITS]

    @property
    def viewport(self) -> tuple[int, int]:
        """What is added to x and y."""
        fields = self._fields[ControlCode.VIEWPORT_OFFSET]
        return fields.viewport_centre_x_coordinate, fields.viewport_centre_y_coordinate

    @property
    def point_size(self) -> int:
        """Of points without their own (float)."""
        return self._fields[ControlCode.POINT_SIZE].point_size

    @property
    def window(self) -> Window:
        """Pixels that may be drawn."""
        columns, rows = clip_window(self._fields[ControlCode.CLIP_WINDOW])
        return Window(columns.start, columns.stop, rows.start, rows.stop)

    @property
    def z_planes(self) -> tuple[int, int]:
        """The range of Z, 24 bits."""
        fields = self._fields[ControlCode.Z_CLIPPING_PLANES]
        return z_of(fields.minimum_zw) >> Z_FRACTION, z_of(fields.maximum_zw) >> Z_FRACTION

    @property
    def set_up(self) -> SetUpState:
        """What the set-up wants."""
        if self._set_up is None:
            self._set_up = self._find_set_up()
        return self._set_up

    def _find_set_up(self) -> SetUpState:
        bits, offset = self.configuration, self._fields[ControlCode.DEPTH_OFFSET]
        return SetUpState(
            front=bool(bits.enable_forward_facing_primitive),
            back=bool(bits.enable_reverse_facing_primitive),
            clockwise=bool(bits.clockwise_primitives),
            flat=self._fields[ControlCode.FLAT_SHADE_FLAGS].flat_shading_flags,
            offset=(offset.depth_offset_factor, offset.depth_offset_units) if bits.enable_depth_offset else None,
            line_width=self._fields[ControlCode.LINE_WIDTH].line_width,
            rht_boundary=self._fields[ControlCode.RHT_X_BOUNDARY].rht_primitive_x_boundary + self.viewport[0],
        )

    @property
    def modes(self) -> FragmentModes:
        """What the tile buffer wants."""
        bits = self.configuration
        return FragmentModes(
            depth=bits.depth_test_function,
            z_updates=bool(bits.z_updates_enable),
            coverage_clears=not bits.coverage_read_mode,
            coverage_mask=bool(bits.coverage_read_type),
        )

    def read_shader(self, memory: Memory) -> ShaderRecord | None:
        """The shader record, which is read once; `None` if the shader state says everything itself. Raises `ListError`."""
        if self._record is None and self.shader and self.shader.code in SHADER_LAYOUTS:
            self._record = read_shader_record(memory, self.shader)
        return self._record

    def program(self, shader: ShaderRecord | None) -> FragmentProgram:
        """The fragment shader."""
        assert self.shader is not None
        if shader is None:
            fields = self.shader.fields
            single = fields.single_threaded
        else:
            fields = shader.fields
            single = fields.fragment_shader_is_single_threaded
        code, uniforms = fields.fragment_shader_code_address, fields.fragment_shader_uniforms_address
        return FragmentProgram(code, uniforms, not single, self.modes)
