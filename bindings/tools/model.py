# SPDX-License-Identifier: MIT
"""What the bindings add to the headers: type names, which enum a field holds, what a buffer holds.

Everything here is looked up by name; a header entity without an entry is an error where one is
needed, so a new field cannot be forgotten.
"""
import re
from dataclasses import dataclass

# First enumerator of an enum -> (type name in the bindings, prefix that its members lose).
ENUMS = {
    "PLAIT_OK": ("Status", "PLAIT_"),
    "PLAIT_ARG_NONE": ("Argument", "PLAIT_ARG_"),
    "PLAIT_DTYPE_F32": ("Dtype", "PLAIT_DTYPE_"),
    "PLAIT_OP_MHC_PRE": ("Op", "PLAIT_OP_"),
    "PLAIT_BACKEND_AUTO": ("Backend", "PLAIT_BACKEND_"),
    "PLAIT_POLICY_STRICT": ("Policy", "PLAIT_POLICY_"),
    "PLAIT_LOG_SILENT": ("LogLevel", "PLAIT_LOG_"),
    "PLAIT_PLAN_MHC": ("PlanKind", "PLAIT_PLAN_"),
    "PLAIT_MHC_COLLAPSE_CURRENT": ("Collapse", "PLAIT_MHC_COLLAPSE_"),
    "PLAIT_MHC_NORM_LAYER_INPUT": ("Norm", "PLAIT_MHC_NORM_"),
    "PLAIT_ORDER_ANY": ("Order", "PLAIT_ORDER_"),
    "PLAIT_FORMAT_FP8_E4M3FN": ("Format", "PLAIT_FORMAT_"),
    "PLAIT_LAYOUT_BLOCK_FLAT": ("Layout", "PLAIT_LAYOUT_"),
    "PLAIT_ROPE_NONE": ("Rope", "PLAIT_ROPE_"),
    "PLAIT_ROPE_FIRST": ("RopePlacement", "PLAIT_ROPE_"),
}
BIT_SETS = {"Norm"}

# int32_t fields that hold an enumerator.
FIELD_ENUMS = {
    "backend": "Backend", "asked_backend": "Backend", "policy": "Policy", "log_level": "LogLevel",
    "dtype": "Dtype", "fn_dtype": "Dtype", "norm_weight_dtype": "Dtype",
    "weights_dtype": "Dtype", "logits_dtype": "Dtype", "collapse": "Collapse", "norm": "Norm",
    "format": "Format", "from_format": "Format", "layout": "Layout", "rope_mode": "Rope",
    "rope_placement": "RopePlacement", "order": "Order",
}
# int32_t fields that hold 0 or 1.
FLAGS = {"broadcast", "fill", "lengths_per_request", "hadamard"}

# Output fields that may be exactly an input of the same call, by struct.
IN_PLACE = {
    "plait_mhc_post_args": {"residual": "residual_out"},
    "plait_mhc_post_pre_args": {"residual": "residual_out"},
    "plait_indexer_convert_k_args": {"src_values": "dst_values", "src_scale": "dst_scale"},
    "plait_indexer_convert_cache_args": {"src_cache": "cache"},
    "plait_indexer_map_slots_args": {"indices": "slots"},
}

# What a buffer holds. A name that ends in "dtype" is decided by that field of the plan's
# descriptor; "scale" is f32 or, in mxfp4, bytes.
_F32 = "pre_mix post_mix comb_mix next_post_mix next_comb_mix prev_pre base scale weights_out cos_sin"
_I32 = ("row_start row_end indices indices_out slots block_table table_row lengths cu_lengths "
        "rejected")
ELEMENTS = {
    **{name: "f32" for name in _F32.split()},
    **{name: "i32" for name in _I32.split()},
    "positions": "i64", "slot_mapping": "i64", "q": "bf16", "k": "bf16",
    "residual": "dtype", "residual_out": "dtype", "x": "dtype", "x2": "dtype", "out": "dtype",
    "layer_input": "dtype", "norm_weight": "norm_weight_dtype", "fn": "fn_dtype",
    "logits": "logits_dtype", "values": "dtype",
    "q_values": "bytes", "k_values": "bytes", "cache": "bytes", "src_cache": "bytes",
    "src_values": "bytes", "dst_values": "bytes", "workspace": "bytes",
    "q_scale": "scale", "k_scale": "scale", "src_scale": "f32", "dst_scale": "f32",
}
BUFFERS = {"plait_buffer", "plait_const_buffer"}


def element(struct, field):
    """The element kind of a buffer field."""
    if field == "weights":
        return "weights_dtype" if struct.endswith("quantize_q_args") else "f32"
    if field == "values_out":
        return "dtype" if struct.startswith("plait_topk") else "f32"
    return ELEMENTS[field]


@dataclass
class Operation:
    function: str  # plait_mhc_pre
    args: str      # plait_mhc_pre_args
    plan: str      # mhc, indexer, topk
    name: str      # pre
    doc: str


PLANS = ("mhc", "indexer", "topk")


def operations(api):
    found = []
    for function in api.functions:
        if function.kind != "execute":
            continue
        args = function.params[1].type.split()[1]
        stem = function.name[len("plait_"):]
        plan = next(p for p in PLANS if stem.split("_")[0] == p)
        found.append(Operation(function.name, args, plan, stem[len(plan) + 1:] or "topk",
                               function.doc))
    return found


def enums(api):
    """(type name, enum, [(member, value, doc)]) of every enum."""
    for enum in api.enums:
        first = enum.values[0].name
        if first not in ENUMS:
            raise SystemExit(f"bindings/tools/model.py has no name for the enum of {first}")
        name, prefix = ENUMS[first]
        members = []
        for value in enum.values:
            member = value.name[len(prefix):]
            if name == "Status" and member.startswith("ERROR_"):
                member = member[len("ERROR_"):]
            members.append((member, value.value, value.doc))
        yield name, enum, members


def camel(text):
    """mhc_pre -> MhcPre"""
    return "".join(part[:1].upper() + part[1:].lower() for part in text.split("_"))


def brief(doc):
    """The first paragraph of a doc comment, on one line."""
    text = re.sub(r"@brief\s*", "", doc).split("\n\n")[0]
    text = re.sub(r"@\w+.*", "", text, flags=re.S)
    return re.sub(r"\s+", " ", re.sub(r"#(plait_\w+|PLAIT_\w+)", r"\1", text)).strip()


def required_order(struct):
    """The fields a caller fills, in the order of the struct."""
    return [f for f in struct.fields if f.name not in ("struct_size", "reserved")]


def fill(items, width, indent, separator=", ", end=""):
    """Lines of at most `width`, breaking only between items."""
    lines, line = [], ""
    for n, item in enumerate(items):
        piece = item + (separator.rstrip() if n + 1 < len(items) else end)
        if line and len(indent) + len(line) + 1 + len(piece) > width:
            lines.append(indent + line)
            line = piece
        else:
            line = f"{line} {piece}" if line else piece
    return lines + ([indent + line] if line else [])
