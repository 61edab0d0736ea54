"""Shader records as the model reads them, and what the RTL must keep of them."""

from vc4.records.control import RECORDS, ControlCode
from vc4.records.shaders import NvShaderRecord, VgShaderRecord
from vc4sim.clist.builder import gl_shader_record, nv_shader_record, vg_shader_record
from vc4sim.model.cle.control_records import ControlRecord
from vc4sim.model.cle.fields import Fields
from vc4sim.model.vcm.vertices import ShaderKind, vertex_words

__all__ = ["KINDS", "arrays_of", "format_of", "request_of", "some_gl", "some_nv", "some_vg", "state"]

#: By the number of the thread.
KINDS = (ShaderKind.COORDINATE, ShaderKind.VERTEX)
_CLIP_BYTES = 16
_MOST_BLOCKS = 16
_ADDRESSES = 1 << 32


def state(code, address, *, arrays=0, extended=False):
    """The control record that points to a shader record."""
    fields = Fields(
        shader_record_address=address, number_of_attribute_arrays=arrays % 8, extended_shader_record=int(extended)
    )
    return ControlRecord(0, RECORDS[code.value], fields)


def request_of(state):
    """The `ShaderRequest` for it."""
    is_gl = state.code is ControlCode.GL_SHADER_STATE
    extended = is_gl and state.fields.extended_shader_record
    return {
        "address": state.fields.shader_record_address >> 4,
        "vertices": state.code is not ControlCode.VG_SHADER_STATE,
        "shades": is_gl,
        "arrays": 7 if extended else (state.fields.number_of_attribute_arrays - 1) % 8,
        "extended": extended,
    }


def some_gl(rng, *, count=8, extended=False, addresses=lambda rng: rng.randrange(_ADDRESSES), **values):
    """A record with so many arrays."""
    strides = (0, 4, 16, rng.randrange(256), *((rng.randrange(_ADDRESSES), _ADDRESSES - 8) if extended else ()))
    attributes = [
        {
            "base_memory_address": addresses(rng),
            "number_of_bytes_minus_1": rng.choice((0, 3, 7, 15, rng.randrange(64), rng.randrange(256))),
            "memory_stride": rng.choice(strides),
            "vertex_shader_vpm_offset": rng.choice((0, 4 * rng.randrange(16), rng.randrange(256))),
            "coordinate_shader_vpm_offset": rng.choice((0, 4 * rng.randrange(16), rng.randrange(256))),
        }
        for _ in range(count)
    ]
    fields = {
        "fragment_shader_is_single_threaded": rng.randrange(2),
        "point_size_included": rng.randrange(2),
        "enable_clipping": rng.randrange(2),
        "fragment_shader_number_of_varyings": rng.randrange(33),
    }
    for name in ("fragment_shader", "vertex_shader", "coordinate_shader"):
        fields[f"{name}_code_address"] = rng.randrange(_ADDRESSES)
        fields[f"{name}_uniforms_address"] = rng.randrange(_ADDRESSES)
    for name in ("vertex_shader", "coordinate_shader"):
        fields[f"{name}_attribute_array_select_bits"] = rng.randrange(256)
        fields[f"{name}_total_attributes_size"] = rng.randrange(256)
    return gl_shader_record(attributes, extended=extended, **fields | values)


def some_nv(rng, **values):
    return nv_shader_record(
        **{
            "fragment_shader_is_single_threaded": rng.randrange(2),
            "point_size_included": rng.randrange(2),
            "enable_clipping": rng.randrange(2),
            "clip_coordinates_header_included": rng.randrange(2),
            "shaded_vertex_data_stride": rng.randrange(256),
            "fragment_shader_number_of_varyings": rng.randrange(33),
            "fragment_shader_code_address": rng.randrange(_ADDRESSES),
            "fragment_shader_uniforms_address": rng.randrange(_ADDRESSES),
            "shaded_vertex_data_address": rng.randrange(_ADDRESSES),
        }
        | values
    )


def some_vg(rng):
    return vg_shader_record(
        fragment_shader_code_address=rng.randrange(_ADDRESSES),
        fragment_shader_uniforms_address=rng.randrange(_ADDRESSES),
    )


def _selected(shader, thread):
    """Number, attribute and offset of each array of a GL record that a thread has."""
    name = "vertex" if thread else "coordinate"
    mask = getattr(shader.fields, f"{name}_shader_attribute_array_select_bits")
    for number, attribute in enumerate(shader.attributes):
        if mask >> number & 1:
            yield number, attribute, getattr(attribute.fields, f"{name}_shader_vpm_offset")


def arrays_of(shader, thread):
    """`VertexArray` by number."""
    if shader.layout is VgShaderRecord:
        return {}
    if shader.layout is NvShaderRecord:
        fields, words = shader.fields, vertex_words(shader, KINDS[thread])
        header = fields.clip_coordinates_header_included
        skips, lacks = _CLIP_BYTES * (header and thread), _CLIP_BYTES * (not header and not thread)
        array = {
            "address": (fields.shaded_vertex_data_address + skips) % _ADDRESSES,
            "stride": fields.shaded_vertex_data_stride,
            "length": 4 * words - lacks - 1,
            "offset": lacks,
        }
        return {0: array}
    return {
        number: {
            "address": attribute.fields.base_memory_address,
            "stride": attribute.stride,
            "length": attribute.length - 1,
            "offset": offset,
        }
        for number, attribute, offset in _selected(shader, thread)
    }


def format_of(shader, thread):
    """The `VertexFormat`, as far as it counts."""
    if shader.layout is VgShaderRecord:
        return {"known": 0, "shades": 0}
    is_gl = shader.layout is not NvShaderRecord
    ends = [offset + attribute.length for _, attribute, offset in _selected(shader, thread)] if is_gl else []
    found = {
        "known": 1,
        "shades": int(is_gl),
        "arrays": sum(1 << number for number in arrays_of(shader, thread)),
        "attributes": min(-(-max(ends, default=0) // 16), _MOST_BLOCKS),
        "results": min(-(-vertex_words(shader, KINDS[thread]) // 4), _MOST_BLOCKS),
    }
    if is_gl:
        name = "vertex" if thread else "coordinate"
        found["pc"] = getattr(shader.fields, f"{name}_shader_code_address")
        found["uniforms"] = getattr(shader.fields, f"{name}_shader_uniforms_address")
    return found
