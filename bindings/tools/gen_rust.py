# SPDX-License-Identifier: MIT
"""Writes bindings/rust/plait-sys/src/abi.rs and tests/layout.rs, bindings/rust/plait/src/generated.rs."""
import textwrap

import model
from headers import layout

HEAD = "// SPDX-License-Identifier: MIT\n// Written by bindings/tools/generate.py from include/plait. Do not edit.\n"
TYPES = {"size_t": "usize", "int64_t": "i64", "int32_t": "i32", "float": "f32", "double": "f64",
         "char": "c_char", "const char *": "*const c_char", "char *": "*mut c_char",
         "void *": "*mut c_void", "const void *": "*const c_void", "void **": "*mut *mut c_void",
         "plait_log_fn": "plait_log_fn", "plait_status": "plait_status"}
KEYWORDS = {"fn"}


def rust(api, kind):
    if kind in TYPES:
        return TYPES[kind]
    if api.struct(kind):
        return kind
    base = kind.replace("const", "").replace("*", "").strip()
    if kind.endswith("**"):
        return f"*mut *mut {base}"
    if kind.endswith("*"):
        return f"*{'const' if kind.startswith('const') else 'mut'} {TYPES.get(base, base)}"
    raise SystemExit(f"no Rust type for {kind}")


def name(field):
    return "r#" + field if field in KEYWORDS else field


def doc(text, indent=""):
    text = text.replace("[", "\\[").replace("]", "\\]").replace("#PLAIT", "PLAIT").replace(
        "#plait", "plait")
    return textwrap.wrap(text, 100, initial_indent=indent + "/// ",
                         subsequent_indent=indent + "/// ") if text else []


def abi(api):
    out = [HEAD.rstrip(), "// Structs, constants and functions of the C ABI.", ""]
    for c in api.constants:
        out += doc(c.doc)
        out.append(f"pub const {c.name}: i32 = {c.value};")
    for enum in api.enums:
        out += ["", "// " + enum.doc.split(". ")[0].rstrip(".:") + "."]
        for v in enum.values:
            out += doc(v.doc)
            out.append(f"pub const {v.name}: i32 = {v.value};")
    out.append("")
    for alias, target in api.aliases.items():
        out.append(f"pub type {alias} = {TYPES[target]};")
    for handle in api.opaque:
        out += ["", "/// Opaque.", "#[repr(C)]", f"pub struct {handle} {{", "    _private: [u8; 0],",
                "    _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,",
                "}"]
    for c in api.callbacks:
        params = ", ".join(f"{p.name}: {rust(api, p.type)}" for p in c.params)
        out += ["", *doc(model.brief(c.doc)),
                f'pub type {c.name} = Option<unsafe extern "C" fn({params})>;']
    for s in api.structs:
        out += ["", *doc(model.brief(s.doc)), "#[repr(C)]", "#[derive(Clone, Copy, Debug)]",
                f"pub struct {s.name} {{"]
        for f in s.fields:
            kind = rust(api, f.type)
            out += doc(f.doc, "    ")
            out.append(f"    pub {name(f.name)}: " + (f"[{kind}; {f.count}]" if f.count else kind)
                       + ",")
        out.append("}")
    out += ["", "functions! {"]
    for f in api.functions:
        params = ", ".join(f"{p.name}: {rust(api, p.type)}" for p in f.params)
        result = "" if f.result == "void" else f" -> {rust(api, f.result)}"
        out += doc(model.brief(f.doc), "    ")
        out.append(f"    fn {f.name}({params}){result};")
    out.append("}")
    return "\n".join(out) + "\n"


def layout_test(api):
    out = [HEAD.rstrip(), "// Sizes and offsets as a C compiler lays the structs out (LP64).",
           "#![allow(clippy::all)]", "use core::mem::{size_of, MaybeUninit};",
           "use core::ptr::addr_of;", "use plait_sys::*;", "",
           "macro_rules! offset {", "    ($struct:ident, $field:ident) => {{",
           "        let value = MaybeUninit::<$struct>::uninit();",
           "        let base = value.as_ptr();",
           "        // SAFETY: the address of a field, never read.",
           "        (unsafe { addr_of!((*base).$field) } as usize) - (base as usize)",
           "    }};", "}"]
    for s in api.structs:
        fields, size = layout(api, s)
        out += ["", "#[test]", f"fn {s.name}_layout() {{",
                f"    assert_eq!(size_of::<{s.name}>(), {size});"]
        out += [f"    assert_eq!(offset!({s.name}, {name(f)}), {at});"
                for f, (at, _) in fields.items()]
        out.append("}")
    return "\n".join(out) + "\n"


ELEMENTS = {"f32": "f32", "i32": "i32", "i64": "i64", "bf16": "u16", "bytes": "u8"}
REQUIRED = {"hidden", "max_columns", "k"}


def generated(api):
    out = [HEAD.rstrip(), "", "use crate::buffer::{Any, Input, Output};", "use crate::error::check;",
           "use crate::plan::{IndexerPlan, MhcPlan, TopkPlan};", "use crate::Result;",
           "use core::ffi::c_void;", "use core::ptr::null_mut;", "use plait_sys as sys;"]
    for kind, enum, members in model.enums(api):
        if kind in ("Status", "Argument"):
            continue
        out += ["", *doc(enum.doc.split(". ")[0].rstrip(".:") + "."),
                "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]", f"pub struct {kind}(pub i32);",
                "", f"impl {kind} {{"]
        for member, value, text in members:
            out += doc(text, "    ")
            out.append(f"    pub const {member}: {kind} = {kind}({value});")
        out.append("}")
        if kind in model.BIT_SETS:
            out += ["", f"impl core::ops::BitOr for {kind} {{", f"    type Output = {kind};", "",
                    f"    fn bitor(self, other: {kind}) -> {kind} {{",
                    f"        {kind}(self.0 | other.0)", "    }", "}"]
    status = next(m for k, _, m in model.enums(api) if k == "Status")
    out += ["", "/// What kind of error a call returned.",
            "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]", "#[non_exhaustive]",
            "pub enum ErrorKind {"]
    for member, value, text in status[1:]:
        out += doc(text, "    ")
        out.append(f"    {model.camel(member)},")
    out += ["    /// A code that this version of the crate does not know.", "    Unknown(i32),", "}",
            "", "impl ErrorKind {", "    pub(crate) fn from_code(code: i32) -> ErrorKind {",
            "        match code {"]
    out += [f"            {value} => ErrorKind::{model.camel(member)}," for member, value, _ in status[1:]]
    out += ["            other => ErrorKind::Unknown(other),", "        }", "    }", "}"]
    for plan in model.PLANS:
        options(api, plan, out)
    for op in model.operations(api):
        arguments(api, op, out)
    for plan in model.PLANS:
        out += ["", f"impl {model.camel(plan)}Plan {{"]
        first = True
        for op in model.operations(api):
            if op.plan != plan:
                continue
            kind = args_name(op)
            if not first:
                out.append("")
            first = False
            out += doc(model.brief(op.doc), "    ")
            out += ["    ///", "    /// For plans on the CPU, with host slices; it returns when the work is done.",
                    f"    pub fn {op.name}(&self, args: &mut {kind}<'_>) -> Result<()> {{",
                    "        self.0.host_only()?;", "        let raw = args.raw();",
                    "        // SAFETY: the slices live for the call, which returns when it is done.",
                    f"        check(unsafe {{ sys::{op.function}(self.0.raw, &raw, null_mut()) }})",
                    "    }", "",
                    f"    /// As [`Self::{op.name}`], enqueued on a stream; for plans on any device.",
                    "    ///", "    /// # Safety",
                    "    /// Every buffer must be reachable by the plan's device, and must live and stay "
                    "unshared until", "    /// the stream has passed the call. `stream` is a stream of that "
                    "device, or null.",
                    f"    pub unsafe fn {op.name}_on(",
                    "        &self,", f"        args: &mut {kind}<'_>,", "        stream: *mut c_void,",
                    "    ) -> Result<()> {",
                    "        let raw = args.raw();",
                    f"        check(sys::{op.function}(self.0.raw, &raw, stream))", "    }"]
        out.append("}")
    return "\n".join(out) + "\n"


def args_name(op):
    return model.camel(op.args[len("plait_"):-len("_args")])


def options(api, plan, out):
    struct = api.struct(f"plait_{plan}_plan_desc")
    kind = f"{model.camel(plan)}Options"
    out += ["", f"/// What a [`{model.camel(plan)}Plan`] is made for; `None` is the C descriptor's default.",
            "#[derive(Clone, Copy, Debug, Default, PartialEq)]", f"pub struct {kind}<'a> {{"]
    fill = []
    for f in model.required_order(struct):
        out += doc(f.doc, "    ")
        value = "value"
        if f.name in model.FLAGS:
            inner, value = "bool", "i32::from(value)"
        elif f.name in model.FIELD_ENUMS:
            inner, value = model.FIELD_ENUMS[f.name], "value.0"
        elif f.name == "implementation":
            out.append("    pub implementation: Option<&'a str>,")
            continue
        else:
            inner = TYPES[f.type]
        if f.name in REQUIRED:
            out.append(f"    pub {name(f.name)}: {inner},")
            fill.append(f"        desc.{name(f.name)} = self.{name(f.name)};")
        else:
            out.append(f"    pub {name(f.name)}: Option<{inner}>,")
            fill += [f"        if let Some(value) = self.{name(f.name)} {{",
                     f"            desc.{name(f.name)} = {value};", "        }"]
    out += ["}", "", f"impl {kind}<'_> {{",
            f"    pub(crate) fn apply(&self, desc: &mut sys::{struct.name}) {{", *fill, "    }", "}"]


def arguments(api, op, out):
    struct = api.struct(op.args)
    kind = args_name(op)
    out += ["", f"/// Arguments of [`{model.camel(op.plan)}Plan::{op.name}`].", "#[derive(Default)]",
            f"pub struct {kind}<'a> {{"]
    fill = [f"            struct_size: core::mem::size_of::<sys::{op.args}>(),"]
    places = model.IN_PLACE.get(op.args, {})
    for f in struct.fields:
        if f.name == "struct_size":
            continue
        if f.name == "reserved":
            fill.append("            reserved: 0,")
            continue
        out += doc(f.doc, "    ")
        n = name(f.name)
        if f.type in model.BUFFERS:
            holds = ELEMENTS.get(model.element(op.args, f.name), "Any")
            side = "Output" if f.type == "plait_buffer" else "Input"
            out.append(f"    pub {n}: {side}<'a, {holds}>,")
            if f.name in places:
                out.insert(len(out) - 1, f"    /// [`Input::IN_PLACE`]: it is `{places[f.name]}`.")
                value = f"self.{n}.or_same(&self.{places[f.name]})"
            else:
                value = f"self.{n}.raw"
        elif f.name in model.FLAGS:
            out.append(f"    pub {n}: bool,")
            value = f"i32::from(self.{n})"
        elif f.name in model.FIELD_ENUMS:
            out.append(f"    pub {n}: Option<{model.FIELD_ENUMS[f.name]}>,")
            value = f"self.{n}.map_or(0, |value| value.0)"
        else:
            out.append(f"    pub {n}: {TYPES[f.type]},")
            value = f"self.{n}"
        fill.append(f"            {n}: {value},")
    out += ["}", "", f"impl {kind}<'_> {{", f"    fn raw(&mut self) -> sys::{op.args} {{",
            f"        sys::{op.args} {{", *fill, "        }", "    }", "}"]


def files(api):
    return {"rust/plait-sys/src/abi.rs": abi(api), "rust/plait-sys/tests/layout.rs": layout_test(api),
            "rust/plait/src/generated.rs": generated(api)}
