#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the declarations of the three bindings with the public headers.

    check.py [--include FOLDER] [--bindings FOLDER]

The headers are read by bindings/tools/headers.py, and a C program compiled against them says whether
that reading is right: every value, size, offset and signature. Each binding's own files are then read
(not the generator's output in memory), and what differs is printed with the name of the binding that
lags. Exit status 1 when anything differs.
"""
import argparse
import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
import gen_go  # noqa: E402
import headers  # noqa: E402
import model  # noqa: E402


def values_of(api):
    found = {c.name: c.value for c in api.constants}
    for enum in api.enums:
        found.update({v.name: v.value for v in enum.values})
    return found


# --- the compiler's word ---------------------------------------------------------------------------

def compiled(api, include):
    """Differences between the reader's idea of the headers and the compiler's."""
    lines = ["#include <plait/plait.h>", "#include <stdio.h>", "int main(void) {"]
    for name in values_of(api):
        lines.append(f'  printf("{name} %lld\\n", (long long){name});')
    for s in api.structs:
        lines.append(f'  printf("{s.name} %zu\\n", sizeof(struct {s.name}));')
        for f in s.fields:
            lines.append(f'  printf("{s.name}.{f.name} %zu %zu\\n", offsetof(struct {s.name}, '
                         f'{f.name}), sizeof(((struct {s.name} *)0)->{f.name}));')
            star = f"(*)[{f.count}]" if f.count else "*"
            lines.append(f'  _Static_assert(_Generic(&((struct {s.name} *)0)->{f.name}, '
                         f'{f.type} {star}: 1, default: 0), "{s.name}.{f.name}");')
    for f in api.functions:
        params = ", ".join(p.type for p in f.params) or "void"
        lines.append(f'  _Static_assert(_Generic(&{f.name}, {f.result} (*)({params}): 1, '
                     f'default: 0), "{f.name}");')
    lines += ["  return 0;", "}"]
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "probe.c"), Path(folder, "probe")
        source.write_text("\n".join(lines))
        done = subprocess.run(["cc", "-std=c11", "-Wall", "-Werror", f"-I{include}", str(source),
                               "-o", str(program)], capture_output=True, text=True)
        if done.returncode:
            return [f"headers: the compiler reads them otherwise:\n{done.stderr}"]
        told = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    want = dict(line.split(" ", 1) for line in told.splitlines())
    mine = {name: str(value) for name, value in values_of(api).items()}
    for s in api.structs:
        fields, size = headers.layout(api, s)
        mine[s.name] = str(size)
        mine.update({f"{s.name}.{n}": f"{at} {bytes_}" for n, (at, bytes_) in fields.items()})
    return [f"headers: {name} is {want.get(name)}, not {mine.get(name)}"
            for name in sorted(set(want) | set(mine)) if want.get(name) != mine.get(name)]


# --- what each binding declares --------------------------------------------------------------------
# Each reader gives (values, structs, functions): {name: value}, {struct: [(field, type)]} and
# {function: [result, parameter types…]}, with types in one spelling.

WIDTH = {"size_t": "u64", "int64_t": "i64", "int32_t": "i32", "float": "f32", "double": "f64",
         "void": "void"}


def c_spelling(api, kind, count=0):
    kind = api.aliases.get(kind, kind)
    if count:
        return f"bytes {count}"
    if kind in WIDTH:
        return WIDTH[kind]
    if kind.endswith("*") or any(c.name == kind for c in api.callbacks):
        return "pointer"
    return kind


def from_headers(api):
    structs = {s.name: [(f.name, c_spelling(api, f.type, f.count)) for f in s.fields]
               for s in api.structs}
    functions = {f.name: [c_spelling(api, f.result)] + [c_spelling(api, p.type) for p in f.params]
                 for f in api.functions}
    return values_of(api), structs, functions


def from_python(bindings):
    import ctypes
    path = bindings / "python/plait/_abi.py"
    spec = importlib.util.spec_from_file_location("plait_abi_checked", path)
    abi = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(abi)
    plain = {ctypes.c_size_t: "u64", ctypes.c_int64: "i64", ctypes.c_int32: "i32",
             ctypes.c_float: "f32", ctypes.c_double: "f64", None: "void"}

    def spelling(kind):
        if kind in plain:
            return plain[kind]
        if issubclass(kind, ctypes.Array):
            return f"bytes {kind._length_}"
        return kind.__name__ if issubclass(kind, ctypes.Structure) else "pointer"

    values = {n: v for n, v in vars(abi).items() if n.startswith("PLAIT_") and isinstance(v, int)}
    structs = {n: [(f, spelling(t)) for f, t in v._fields_] for n, v in vars(abi).items()
               if n.startswith("plait_") and isinstance(v, type) and issubclass(v, ctypes.Structure)}
    functions = {n: [spelling(r)] + [spelling(p) for p in params]
                 for n, (r, params) in abi.FUNCTIONS.items()}
    return values, structs, functions


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def from_rust(bindings):
    text = without_comments((bindings / "rust/plait-sys/src/abi.rs").read_text())
    plain = {"usize": "u64", "i64": "i64", "i32": "i32", "plait_status": "i32", "f32": "f32",
             "f64": "f64"}

    def spelling(kind):
        kind = kind.strip()
        array = re.fullmatch(r"\[c_char; (\d+)\]", kind)
        if array:
            return f"bytes {array.group(1)}"
        if kind.startswith("*") or kind == "plait_log_fn":
            return "pointer"
        return plain.get(kind, kind)

    values = {n: int(v) for n, v in re.findall(r"pub const (PLAIT_\w+): i32 = (-?\d+);", text)}
    structs = {}
    for name, body in re.findall(r"pub struct (\w+) \{(.*?)\n\}", text, re.S):
        fields = re.findall(r"pub (?:r#)?(\w+): ([^\n]+),\n", body + "\n")
        if fields:
            structs[name] = [(f, spelling(t)) for f, t in fields]
    functions = {}
    for name, params, result in re.findall(r"^\s+fn (\w+)\(([^)]*)\)(?: -> ([^;]+))?;", text, re.M):
        kinds = [p.split(":", 1)[1] for p in params.split(",") if p.strip()]
        functions[name] = [spelling(result) if result else "void"] + [spelling(k) for k in kinds]
    return values, structs, functions


def from_go(bindings, api):
    """The mirrors of abi.go. Functions are C's own through cgo: what counts is that one is called."""
    text = without_comments((bindings / "go/abi.go").read_text())
    declared = dict(re.findall(r"^\t(\w+)\s+\w+\s*= (-?\d+)$", text, re.M))
    declared.update(dict(re.findall(r"^const (\w+) = (-?\d+)$", text, re.M)))
    values = {}
    for kind, enum, members in model.enums(api):
        for value, (member, _, _) in zip(enum.values, members):
            prefix = gen_go.PREFIX.get(kind, kind)
            name = "OK" if member == "OK" else prefix + gen_go.camel(member)
            if name in declared:
                values[value.name] = int(declared[name])
    for constant in api.constants:
        name = gen_go.camel(constant.name[len("PLAIT_"):])
        if name in declared:
            values[constant.name] = int(declared[name])
    structs = {}
    for name, body in re.findall(r"^type (c\w+) struct \{\n(.*?)^\}", text, re.M | re.S):
        structs[name] = re.findall(r"^\t(\w+)\s+(\S+)$", body, re.M)
    both = re.search(r"^type cBuffer struct\{ (.*?) uintptr \}", (bindings / "go/plait.go").read_text(), re.M)
    called = set()
    for path in (bindings / "go").glob("*.go"):
        if not path.name.endswith("_test.go"):
            called |= set(re.findall(r"\bC\.(plait_\w+)\(", without_comments(path.read_text())))
    found = {n: [(f, "uintptr") for f in both.group(1).split(", ")] for n in model.BUFFERS} if both else {}
    for s in api.structs:
        mirror = structs.get(gen_go.mirror_name(s.name))
        if mirror is not None:
            found[s.name] = mirror
    return values, found, called


def go_fields(api, struct):
    """What a mirror must say for a struct."""
    out = []
    for f in struct.fields:
        kind = c_spelling(api, f.type, f.count)
        shown = {"u64": "uintptr", "pointer": "uintptr", "i64": "int64", "i32": "int32",
                 "f32": "float32", "plait_buffer": "cBuffer", "plait_const_buffer": "cBuffer"}
        go = f"[{f.count}]byte" if f.count else shown.get(kind, kind)
        out.append((gen_go.lower(f.name), go))
    return out


# --- the comparison ---------------------------------------------------------------------------------

def compare_fields(binding, name, want, got, out):
    missing = [f for f, _ in want if f not in dict(got)]
    extra = [f for f, _ in got if f not in dict(want)]
    out += [f"{binding}: {name} lacks the field {f}" for f in missing]
    out += [f"{binding}: {name} has a field {f} that the header does not" for f in extra]
    if missing or extra:
        return
    if [f for f, _ in want] != [f for f, _ in got]:
        out.append(f"{binding}: {name} has its fields in another order")
    out += [f"{binding}: {name}.{f} is {dict(got)[f]}, not {kind}" for f, kind in want
            if dict(got)[f] != kind]


def compare(binding, want, got, out):
    for what, wanted, found in (("constant", want[0], got[0]), ("struct", want[1], got[1]),
                                ("function", want[2], got[2])):
        out += [f"{binding}: lacks the {what} {n}" for n in wanted if n not in found]
        out += [f"{binding}: has a {what} {n} that the headers do not" for n in found
                if n not in wanted]
    out += [f"{binding}: {n} is {got[0][n]}, not {v}" for n, v in want[0].items()
            if n in got[0] and got[0][n] != v]
    for name, fields in want[1].items():
        if name in got[1]:
            compare_fields(binding, name, fields, got[1][name], out)
    out += [f"{binding}: {n} is declared as {got[2][n]}, not {v}" for n, v in want[2].items()
            if n in got[2] and got[2][n] != v]


def surfaces(bindings, api, out):
    """The layers above: every argument and option can be given, every function is used."""
    python = "".join(p.read_text() for p in (bindings / "python/plait").glob("_*.py")
                     if p.name != "_abi.py")
    stubs = (bindings / "python/plait/_ops.pyi").read_text()
    rust = "".join(p.read_text() for p in (bindings / "rust/plait/src").glob("*.rs"))
    go = (bindings / "go/abi.go").read_text()
    stubs = re.sub(r'""".*?"""', "", stubs, flags=re.S)
    for op in model.operations(api):
        fields = [f.name for f in model.required_order(api.struct(op.args))]
        table = re.search(rf'"{op.function}", {op.args},.*?\n\n', python + "\n\n", re.S)
        known = re.findall(r'\("(\w+)", \d+', table.group(0)) if table else []
        typed = re.search(rf"def bind_{op.name}\((.*?)\) -> Call", stubs, re.S)
        typed = re.findall(r"(\w+):", typed.group(1)) if typed else []
        short = op.args[len("plait_"):-len("_args")]
        in_rust = re.search(rf"pub struct {model.camel(short)}<'a> \{{(.*?)\n\}}", rust, re.S)
        in_rust = re.findall(r"pub (?:r#)?(\w+):", in_rust.group(1)) if in_rust else []
        in_go = re.search(rf"type {gen_go.camel(short)}Args struct \{{(.*?)\n\}}", go, re.S)
        in_go = re.findall(r"^\t(\w+) ", in_go.group(1), re.M) if in_go else []
        for f in fields:
            if f not in known or f not in typed:
                out.append(f"python: {op.name} does not take {f}")
            if f not in in_rust:
                out.append(f"rust: {model.camel(short)} does not have {f}")
            if gen_go.camel(f) not in in_go:
                out.append(f"go: {gen_go.camel(short)}Args does not have {gen_go.camel(f)}")
    for plan in model.PLANS:
        for f in model.required_order(api.struct(f"plait_{plan}_plan_desc")):
            options = f"{model.camel(plan)}Options"
            in_rust = re.search(rf"pub struct {options}<'a> \{{(.*?)\n\}}", rust, re.S)
            if not in_rust or not re.search(rf"pub {f.name}:", in_rust.group(1)):
                out.append(f"rust: {options} does not have {f.name}")
            in_go = re.search(rf"type {options} struct \{{(.*?)\n\}}", go, re.S)
            if not in_go or not re.search(rf"^\t{gen_go.camel(f.name)} ", in_go.group(1), re.M):
                out.append(f"go: {options} does not have {gen_go.camel(f.name)}")
    for function in api.functions:
        stem = re.fullmatch(r"plait_(mhc|indexer|topk)_plan_(desc_init|create|sizes)", function.name)
        if not re.search(rf"\b{function.name}\b", python) and not stem and function.name not in (
                "plait_version", "plait_op_name", "plait_status_code", "plait_error_init"):
            out.append(f"python: nothing uses {function.name}")
        # The plans' three are named as arguments of a macro.
        name = f"    {function.name}," if stem else f"sys::{function.name}"
        if not re.search(re.escape(name) + r"(?!\w)", rust) \
                and function.name not in ("plait_version", "plait_abi_version",
                                          "plait_status_code", "plait_error_init"):
            out.append(f"rust: nothing in the crate plait uses {function.name}")


def differences(include, bindings):
    api = headers.read(include)
    out = compiled(api, include)
    want = from_headers(api)
    compare("python", want, from_python(bindings), out)
    compare("rust", want, from_rust(bindings), out)
    values, structs, called = from_go(bindings, api)
    go_want = {s.name: go_fields(api, s) for s in api.structs}
    out += [f"go: lacks the constant {n}" for n in want[0] if n not in values]
    out += [f"go: {n} is {values[n]}, not {v}" for n, v in want[0].items() if values.get(n, v) != v]
    for name, fields in go_want.items():
        if name not in structs:
            out.append(f"go: lacks the struct {name}")
        else:
            compare_fields("go", name, fields, structs[name], out)
    out += [f"go: never calls {n}" for n in want[2] if n not in called]
    out += [f"go: calls {n}, which the headers do not have" for n in called
            if n not in want[2] and n not in api.aliases]
    surfaces(bindings, api, out)
    return api, out


def main(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--include", type=Path, default=HERE.parents[1] / "include")
    parser.add_argument("--bindings", type=Path, default=HERE.parent)
    options = parser.parse_args(argv)
    api, found = differences(options.include, options.bindings)
    for line in found:
        print(line)
    print(f"{len(api.functions)} functions, {len(api.structs)} structs, {len(values_of(api))} "
          f"constants: {'the bindings agree' if not found else str(len(found)) + ' differences'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
