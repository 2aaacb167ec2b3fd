# SPDX-License-Identifier: MIT
"""Writes the tables of bindings/python/plait."""
import textwrap

import model
from headers import layout

CTYPES = {"size_t": "c_size_t", "int64_t": "c_int64", "int32_t": "c_int32", "float": "c_float",
          "double": "c_double", "char": "c_char", "const char *": "c_char_p", "void *": "c_void_p",
          "const void *": "c_void_p", "plait_log_fn": "plait_log_fn"}
HEAD = '# SPDX-License-Identifier: MIT\n# Written by bindings/tools/generate.py from include/plait. Do not edit.\n'
BASES = {100: "CallerError", 200: "UnsupportedError", 300: "ResourceError",
         400: "DeviceError", 500: "Error"}
BUILTIN = {"INVALID_VALUE": "ValueError", "NULL_ARGUMENT": "ValueError",
           "SIZE_OVERFLOW": "OverflowError", "OUT_OF_MEMORY": "MemoryError",
           "BUFFER_TOO_SMALL": "ValueError", "STRIDE": "ValueError", "RANGE": "ValueError",
           "INDEX_OUT_OF_RANGE": "IndexError"}


def ctype(api, kind, count=0, parameter=False):
    kind = api.aliases.get(kind, kind)
    if kind == "char *":
        out = "c_void_p" if parameter else "c_char_p"
    elif kind in CTYPES:
        out = CTYPES[kind]
    elif api.struct(kind):
        out = kind
    elif kind.endswith("**"):
        out = "POINTER(c_void_p)"
    elif kind.endswith("*"):
        base = kind[:-1].replace("const", "").strip()
        if base in api.opaque:
            out = "c_void_p"
        else:
            out = f"POINTER({CTYPES.get(base, base)})"
    else:
        raise SystemExit(f"no ctypes type for {kind}")
    return f"{out} * {count}" if count else out


def abi(api):
    out = [HEAD + '"""Structs, prototypes and constants of the C ABI."""',
           "from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_float, "
           "c_int32,\n                    c_int64, c_size_t, c_void_p)", ""]
    for c in api.constants:
        out.append(f"{c.name} = {c.value}")
    for enum in api.enums:
        out.append("")
        out += [f"{v.name} = {v.value}" for v in enum.values]
    out.append("")
    for callback in api.callbacks:
        params = ", ".join(ctype(api, p.type) for p in callback.params)
        out.append(f"{callback.name} = CFUNCTYPE(None, {params})")
    for struct in api.structs:
        out.append(f"\n\nclass {struct.name}(Structure):\n    _fields_ = [")
        out += [f'        ("{f.name}", {ctype(api, f.type, f.count)}),' for f in struct.fields]
        out.append("    ]")
    out.append("\n\n# name: (result, parameters)\nFUNCTIONS = {")
    for f in api.functions:
        result = "None" if f.result == "void" else ctype(api, f.result)
        params = "".join(ctype(api, p.type, parameter=True) + ", " for p in f.params).rstrip()
        params = params[:-1] if len(f.params) > 1 else params
        out += textwrap.wrap(f'"{f.name}": ({result}, ({params})),', 100, initial_indent="    ",
                             subsequent_indent="        ")
    out.append("}\n\n# Functions whose result is a plait_status, checked after each call.")
    names = [f'"{f.name}"' for f in api.functions if f.result == "plait_status"]
    out += textwrap.wrap(f"CHECKED = {{{', '.join(names)}}}", 100, subsequent_indent="    ")
    return "\n".join(out) + "\n"


def enums(api):
    out = [HEAD + '"""Enumerations, and one exception class for each status code."""',
           "from enum import IntEnum, IntFlag", "from typing import Any"]
    for name, enum, members in model.enums(api):
        base = "IntFlag" if name in model.BIT_SETS else "IntEnum"
        doc = enum.doc.split(". ")[0].rstrip(".:") + "."
        out.append(f"\n\nclass {name}({base}):")
        out += textwrap.wrap(f'"""{doc}"""', 96, initial_indent="    ", subsequent_indent="    ")
        out.append("")
        out += [f"    {m} = {v}" for m, v, _ in members]
    out.append("\n\n# Which enumeration an int32_t field holds.\nFIELDS = {")
    out += model.fill([f'"{k}": {v}' for k, v in model.FIELD_ENUMS.items()], 100, "    ")
    out.append("}\n\n\ndef coerce(field: str, value: Any) -> int:")
    out.append('    """The number for `value`: an enumerator, its name in any case, or a number."""')
    out.append("    if not isinstance(value, str):\n        return int(value)")
    out.append("    kind = FIELDS.get(field)")
    out.append("    if kind is None or value.upper() not in kind.__members__:")
    out.append('        names = ", ".join(n.lower() for n in kind.__members__) if kind else "a number"')
    out.append('        raise ValueError(f"{field}: {value!r} is not one of: {names}")')
    out.append("    return int(kind[value.upper()].value)")
    return "\n".join(out) + "\n"


def errors(api):
    out = [HEAD + '"""The exception of each status code."""', "from __future__ import annotations", "",
           "from ._status import CallerError, DeviceError, Error, ResourceError, UnsupportedError",
           "", "BY_CODE: dict[int, type[Error]] = {}"]
    for name, _, members in model.enums(api):
        if name != "Status":
            continue
        for member, value, doc in members:
            if not value:
                continue
            cls = model.camel(member)
            cls += "" if cls.endswith("Error") else "Error"
            bases = BASES[value // 100 * 100] + (f", {BUILTIN[member]}" if member in BUILTIN else "")
            out.append(f"\n\nclass {cls}({bases}):")
            out += textwrap.wrap(f'"""{doc}"""', 96, initial_indent="    ",
                                 subsequent_indent="    ")
            out.append(f"\n\nBY_CODE[{value}] = {cls}")
    return "\n".join(out) + "\n"


PACK = {"size_t": "Q", "int64_t": "q", "int32_t": "i"}


def slots(api, op):
    """Struct format, initial values and where each keyword goes, of one args struct."""
    struct = api.struct(op.args)
    pack, initial, table = "@", [], []
    for f in struct.fields:
        kind = api.aliases.get(f.type, f.type)
        at = len(initial)
        if kind in model.BUFFERS:
            pack += "PQ"
            initial += ["0", "0"]
            table.append([f.name, at, model.element(op.args, f.name), kind == "plait_buffer", -1])
        else:
            pack += PACK[kind]
            initial.append(str(layout(api, struct)[1]) if f.name == "struct_size" else "0")
            if f.name not in ("struct_size", "reserved"):
                table.append([f.name, at, "", False, -1])
    where = {row[0]: row[1] for row in table}
    for row in table:
        row[4] = where.get(row[0] + "_stride", -1)
    return pack, initial, table


def ops(api):
    out = [HEAD + '"""How the keywords of each operation fill its struct. Signatures: _ops.pyi."""',
           "from ._abi import *  # noqa: F403", "from ._call import Operation, PlanBase, methods", ""]
    for plan in model.PLANS:
        out.append(f"\nclass {model.camel(plan)}Ops(PlanBase):\n"
                   f'    """The execute calls of {plan} plans."""\n')
        for op in model.operations(api):
            if op.plan != plan:
                continue
            pack, initial, table = slots(api, op)
            out.append(f"    {op.name}, bind_{op.name} = methods(Operation(")
            out.append(f'        "{op.function}", {op.args}, "{pack}",')
            out.append(f"        {initial[0]}, {len(initial)},")
            rows = [f'("{n}", {at}, "{e}", {w}, {s})' for n, at, e, w, s in table]
            rows[0], rows[-1] = "(" + rows[0], rows[-1] + ")"
            out += model.fill(rows, 100, " " * 8, end=",")
            pieces = textwrap.wrap(model.brief(op.doc), 84, drop_whitespace=False)
            out += [f'        "{piece}"' for piece in pieces]
            out[-1] += "))"
            out.append("")
    return "\n".join(out).rstrip() + "\n"


PYTHON = {"int32_t": "int", "int64_t": "int", "size_t": "int", "float": "float",
          "const char *": "str"}
REQUIRED = {"hidden", "max_columns", "k"}


def constructor(api, plan, out):
    lines, docs = ["self", "context: Context", "*"], []
    for f in model.required_order(api.struct(f"plait_{plan}_plan_desc")):
        kind = PYTHON[f.type]
        if f.name in model.FLAGS:
            kind = "bool"
        elif f.name in model.FIELD_ENUMS:
            kind = f"Union[{model.FIELD_ENUMS[f.name]}, str, int]"
        lines.append(f"{f.name}: {kind}" if f.name in REQUIRED
                     else f"{f.name}: {kind} = ..." if kind != "str"
                     else f"{f.name}: Optional[str] = ...")
        docs += textwrap.wrap(f"{f.name}: {f.doc}", 96, initial_indent=" " * 8,
                              subsequent_indent=" " * 12)
    out.append("    def __init__(")
    out += model.fill(lines, 100, " " * 12) + ["    ) -> None:"]
    out += ['        """A plan; what is not given has the default of the C descriptor.', ""]
    out += docs + ['        """', ""]
    counted = "tokens" if plan == "mhc" else "rows"
    out += [f"    def sizes(self, {counted}: int) -> {model.camel(plan)}Sizes: ...", ""]


def stubs(api):
    out = [HEAD + "from typing import Optional, Union", "",
           "from ._buffers import Buffer, StreamLike", "from ._call import Call, PlanBase",
           "from ._context import Context",
           "from ._enums import Collapse, Dtype, Format, Layout, Norm, Order, Rope, RopePlacement",
           f"from ._sizes import {', '.join(model.camel(p) + 'Sizes' for p in sorted(model.PLANS))}",
           ""]
    for plan in model.PLANS:
        out.append(f"\nclass {model.camel(plan)}Ops(PlanBase):")
        constructor(api, plan, out)
        for op in model.operations(api):
            if op.plan != plan:
                continue
            struct = api.struct(op.args)
            lines, docs = [], []
            fields = model.required_order(struct)
            for f in fields:
                kind = api.aliases.get(f.type, f.type)
                if kind in model.BUFFERS:
                    hint = "Buffer = ..."
                elif f.name in model.FLAGS:
                    hint = "bool = ..."
                elif f.name in model.FIELD_ENUMS:
                    hint = f"Union[{model.FIELD_ENUMS[f.name]}, str, int]"
                else:
                    hint = "int" if f is fields[0] else "int = ..."
                lines.append(f"{f.name}: {hint}")
                docs += textwrap.wrap(f"{f.name}: {f.doc}", 96, initial_indent=" " * 8,
                                      subsequent_indent=" " * 12)
            for name, extra, result in ((op.name, ["stream: StreamLike = ..."], "None"),
                                        (f"bind_{op.name}", [], "Call")):
                out.append(f"    def {name}(")
                out += model.fill(["self", "*"] + lines + extra, 100, " " * 12)
                out.append(f"    ) -> {result}:")
                if result == "None":
                    text = textwrap.wrap(f'"""{model.brief(op.doc)}', 92, initial_indent=" " * 8,
                                         subsequent_indent=" " * 8)
                    out += text + [""] + docs + [' ' * 8 + '"""']
                else:
                    out.append(f'        """{op.name} with its arguments packed once."""')
                out.append("")
    return "\n".join(out).rstrip() + "\n"


def sizes(api):
    out = [HEAD + '"""Sizes in bytes, as the plans give them."""', "from typing import NamedTuple"]
    for plan in model.PLANS:
        struct = api.struct(f"plait_{plan}_sizes")
        out.append(f"\n\nclass {model.camel(plan)}Sizes(NamedTuple):")
        out.append(f'    """Bytes of the buffers and workspaces of the {plan} calls."""\n')
        for f in struct.fields[1:]:
            out.append(f"    {f.name}: int")
            out += textwrap.wrap(f'"""{f.doc}"""', 96, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(out) + "\n"


def files(api):
    return {"python/plait/_abi.py": abi(api), "python/plait/_enums.py": enums(api),
            "python/plait/_errors.py": errors(api), "python/plait/_ops.py": ops(api),
            "python/plait/_ops.pyi": stubs(api), "python/plait/_sizes.py": sizes(api)}
