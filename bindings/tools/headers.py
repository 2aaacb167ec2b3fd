# SPDX-License-Identifier: MIT
"""Reads the public headers of plait into plain tables.

The headers keep one regular style, so a small reader is enough: object macros with an integer,
anonymous enums, `typedef struct X { … } X;`, opaque structs, one callback type and prototypes that
begin with PLAIT_API. Whatever is none of these is an error, so nothing can be passed over.
"""
import re
from dataclasses import dataclass, field
from pathlib import Path

HEADERS = ("version.h", "status.h", "types.h", "context.h", "device.h", "mhc.h", "topk.h",
           "indexer.h", "plait.h")


@dataclass
class Constant:
    name: str
    value: int
    doc: str = ""


@dataclass
class Enum:
    doc: str
    values: list


@dataclass
class Field:
    name: str
    type: str  # as written, one space between words, '*' attached by one space: "const char *"
    count: int = 0  # 0: no array
    doc: str = ""


@dataclass
class Struct:
    name: str
    fields: list
    doc: str = ""


@dataclass
class Function:
    name: str
    result: str
    params: list
    doc: str = ""
    kind: str = ""  # setup, query, execute


@dataclass
class Api:
    constants: list = field(default_factory=list)  # of macros
    enums: list = field(default_factory=list)
    structs: list = field(default_factory=list)
    opaque: list = field(default_factory=list)
    aliases: dict = field(default_factory=dict)
    callbacks: list = field(default_factory=list)
    functions: list = field(default_factory=list)

    def struct(self, name):
        return next((s for s in self.structs if s.name == name), None)


def tidy_type(text):
    words = re.sub(r"\*", " * ", text).split()
    return re.sub(r"\* \*", "**", " ".join(words)).replace("* *", "**")


def tidy_doc(text):
    lines = [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in text.strip().splitlines()]
    return re.sub(r"^<\s*", "", "\n".join(lines).strip())


def one_line(doc):
    return re.sub(r"\s+", " ", doc).strip()


class Reader:
    def __init__(self, api, path):
        self.api, self.path = api, path
        self.docs = []
        text = path.read_text(encoding="utf-8")
        self.api_marks = len(re.findall(r"^PLAIT_API\b", text, re.M))
        # A doc comment becomes the mark @n@; it is looked up when its declaration is read.
        text = re.sub(r"/\*\*(<?)(.*?)\*/", self.keep_doc, text, flags=re.S)
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
        self.text = self.preprocess(text)

    def keep_doc(self, match):
        self.docs.append(tidy_doc(match.group(2)))
        return f"@{'<' if match.group(1) else '>'}{len(self.docs) - 1}@"

    def doc(self, text):
        marks = re.findall(r"@[<>](\d+)@", text)
        return self.docs[int(marks[-1])] if marks else ""

    def fail(self, what):
        raise SystemExit(f"{self.path.name}: not in the headers' style: {what.strip()[:200]}")

    def preprocess(self, text):
        out, lines, i = [], text.splitlines(), 0
        while i < len(lines):
            line = lines[i]
            while line.endswith("\\"):
                i += 1
                line = line[:-1] + lines[i]
            i += 1
            if not line.lstrip().startswith("#"):
                out.append(line)
                continue
            match = re.match(r"\s*#\s*define\s+(PLAIT_\w+)\s+(-?\d+)\b(.*)", line)
            if match:
                self.api.constants.append(
                    Constant(match.group(1), int(match.group(2)), one_line(self.doc(line))))
            elif re.match(r"\s*#\s*define\s+PLAIT_(API\b|\w+_H$)", line):
                pass
            elif not re.match(r"\s*#\s*(ifndef|ifdef|if|elif|else|endif|include)\b", line):
                self.fail(line)
        return re.sub(r'extern "C" \{', "", "\n".join(out))

    def read(self):
        text = self.text
        marks = r"((?:@>\d+@\s*)*)"
        for pattern, take in (
                (marks + r"typedef struct (\w+) \{(.*?)\} (\w+)\s*;", self.struct),
                (marks + r"enum \{(.*?)\}\s*;", self.enum),
                (marks + r"typedef struct (\w+) (\w+)\s*;", self.opaque),
                (marks + r"typedef (\w+) \(\*(\w+)\)\((.*?)\)\s*;", self.callback),
                (marks + r"typedef (\w+) (\w+)\s*;", self.alias),
                (marks + r"PLAIT_API ([\w\s\*]+?)(\w+)\((.*?)\)\s*;", self.function)):
            # Declarations keep their order within a kind, which is all that the tables need.
            text = re.sub(pattern, lambda m: take(m) or " ", text, flags=re.S)
        rest = re.sub(r"@[<>]\d+@", " ", text)
        if rest.strip() not in ("", "}"):
            self.fail(rest)

    def struct(self, match):
        mark, name, body, again = match.groups()
        if name != again:
            self.fail(match.group(0))
        fields = []
        for declaration, doc in re.findall(r"([^;]+);\s*((?:@<\d+@)?)", body):
            declaration = re.sub(r"@[<>]\d+@", " ", declaration)
            got = re.fullmatch(r"\s*(.*?)(\w+)\s*(?:\[(\w+)\])?\s*", declaration, re.S)
            if not got or "," in declaration or "(" in declaration or ":" in declaration:
                self.fail(declaration)
            count = got.group(3) or "0"
            fields.append(Field(got.group(2), tidy_type(got.group(1)), self.number(count),
                                one_line(self.doc(doc))))
        self.api.structs.append(Struct(name, fields, self.doc(mark)))

    def number(self, text):
        if re.fullmatch(r"-?\d+", text):
            return int(text)
        for constant in self.api.constants:
            if constant.name == text:
                return constant.value
        return self.fail(text)

    def enum(self, match):
        body = re.sub(r"@>\d+@", lambda m: m.group(0) + " ", match.group(2))
        values = []
        for name, number, tail in re.findall(
                r"(PLAIT_\w+)\s*=\s*(-?\d+)\s*,?((?:\s*@<\d+@)?)", body):
            values.append(Constant(name, int(number), one_line(self.doc(tail))))
        left = re.sub(r"(PLAIT_\w+)\s*=\s*(-?\d+)\s*,?|@[<>]\d+@", "", body)
        if left.strip() or not values:
            self.fail(match.group(0))
        self.api.enums.append(Enum(one_line(self.doc(match.group(1))), values))

    def opaque(self, match):
        self.api.opaque.append(match.group(2))

    def alias(self, match):
        self.api.aliases[match.group(3)] = match.group(2)

    def parameters(self, text):
        params = []
        for part in text.split(","):
            part = part.strip()
            if part in ("", "void"):
                continue
            got = re.fullmatch(r"(.*?)(\w+)", part, re.S)
            params.append(Field(got.group(2), tidy_type(got.group(1))))
        return params

    def callback(self, match):
        mark, result, name, params = match.groups()
        self.api.callbacks.append(
            Function(name, tidy_type(result), self.parameters(params), self.doc(mark)))

    def function(self, match):
        mark, result, name, params = match.groups()
        doc = self.doc(mark)
        kind = re.search(r"Class: (\w+)", doc)
        self.api_marks -= 1
        if not kind or kind.group(1) not in ("setup", "query", "execute"):
            raise SystemExit(f"{self.path.name}: {name} does not say its class")
        self.api.functions.append(
            Function(name, tidy_type(result), self.parameters(params), doc, kind.group(1)))


def read(include):
    """The API in the folder `include` (the one that has plait/plait.h)."""
    api = Api()
    folder = Path(include) / "plait"
    found = sorted(p.name for p in folder.glob("*.h"))
    if found != sorted(HEADERS):
        raise SystemExit(f"headers changed: {sorted(set(found) ^ set(HEADERS))}")
    for name in HEADERS:
        reader = Reader(api, folder / name)
        reader.read()
        if reader.api_marks:
            raise SystemExit(f"{name}: {reader.api_marks} functions were not understood")
    return api


SIZES = {"size_t": 8, "int64_t": 8, "int32_t": 4, "float": 4, "double": 8, "char": 1}


def layout(api, struct):
    """Offsets and size of a struct on an LP64 machine: ({field: (offset, size)}, size)."""
    offset, alignment, fields = 0, 1, {}
    for item in struct.fields:
        kind = api.aliases.get(item.type, item.type)
        if kind.endswith("*") or any(c.name == kind for c in api.callbacks):
            size = align = 8
        elif api.struct(kind):
            size, align = layout(api, api.struct(kind))[1], 8
        else:
            size = align = SIZES[kind]
        if item.count:
            size *= item.count
        offset = (offset + align - 1) // align * align
        fields[item.name] = (offset, size)
        offset += size
        alignment = max(alignment, align)
    return fields, (offset + alignment - 1) // alignment * alignment
