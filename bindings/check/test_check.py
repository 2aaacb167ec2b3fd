#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py finds what it must: each change of a header, or of one binding, is named."""
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import check  # noqa: E402

INCLUDE, BINDINGS = HERE.parents[1] / "include", HERE.parent


def change(path, old, new):
    text = path.read_text(encoding="utf-8")
    if old not in text:
        raise AssertionError(f"{path.name} has no {old!r}")
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        root = Path(self.folder.name)
        self.include, self.bindings = root / "include", root / "bindings"
        shutil.copytree(INCLUDE, self.include)
        for name in ("python/plait", "rust/plait/src", "rust/plait-sys/src", "go"):
            shutil.copytree(BINDINGS / name, self.bindings / name)

    def tearDown(self):
        self.folder.cleanup()

    def header(self, name, old, new):
        change(self.include / "plait" / name, old, new)

    def found(self):
        return check.differences(self.include, self.bindings)[1]

    def named(self, what):
        """Which bindings are named, each beside `what`; nothing else may be wrong with the headers."""
        found = self.found()
        self.assertFalse([line for line in found if line.startswith("headers:")], found)
        self.assertTrue(all(any(w in line for w in what) for line in found), found)
        return sorted({line.split(":")[0] for line in found})

    def test_the_bindings_agree(self):
        self.assertEqual(self.found(), [])

    def test_new_function(self):
        self.header("topk.h", "#ifdef __cplusplus\n}", "/** @brief New.\n *\n * Class: query. Thread safety: any.\n */\n"
                    "PLAIT_API int32_t plait_new_thing(int64_t rows);\n#ifdef __cplusplus\n}")
        self.assertEqual(self.named(["plait_new_thing"]), ["go", "python", "rust"])

    def test_new_field(self):
        self.header("mhc.h", "  plait_buffer workspace;         /**< workspace_pre bytes, aligned to 256. */",
                    "  plait_buffer workspace; /**< workspace_pre bytes, aligned to 256. */\n"
                    "  int64_t brand_new; /**< New. */")
        self.assertEqual(self.named(["brand_new", "brandNew", "BrandNew"]), ["go", "python", "rust"])

    def test_other_type(self):
        self.header("topk.h", "int64_t k; ", "int32_t k; ")
        self.assertEqual(self.named([".k is"]), ["go", "python", "rust"])

    def test_other_order(self):
        self.header("context.h", "  int32_t backend;    /**< PLAIT_BACKEND_…; default AUTO. */\n", "")
        self.header("context.h", "  int32_t policy; ", "  int32_t policy;\n  int32_t backend; ")
        self.assertEqual(self.named(["another order"]), ["go", "python", "rust"])

    def test_buffer(self):
        self.header("types.h", "  void *data; ", "  size_t extent; /**< New. */\n  void *data; ")
        self.assertEqual(self.named(["extent", "plait_buffer"]), ["go", "python", "rust"])

    def test_other_value(self):
        self.header("indexer.h", "PLAIT_FORMAT_MXFP4 = 3", "PLAIT_FORMAT_MXFP4 = 4")
        self.assertEqual(self.named(["PLAIT_FORMAT_MXFP4 is 3, not 4"]), ["go", "python", "rust"])

    def test_new_value(self):
        self.header("types.h", "  PLAIT_DTYPE_BF16 = 3", "  PLAIT_DTYPE_F8 = 9,\n  PLAIT_DTYPE_BF16 = 3")
        self.assertEqual(self.named(["PLAIT_DTYPE_F8"]), ["go", "python", "rust"])

    def test_new_parameter(self):
        self.header("context.h", "plait_plan_kind(const plait_plan *plan)",
                    "plait_plan_kind(const plait_plan *plan, int32_t more)")
        self.assertEqual(self.named(["plait_plan_kind"]), ["python", "rust"])  # Go's compiler says so

    def test_one_binding_lags(self):
        change(self.bindings / "rust/plait-sys/src/abi.rs", "pub post_mult: f32", "pub post_mult: f64")
        self.assertEqual(self.named(["post_mult is f64, not f32"]), ["rust"])
        change(self.bindings / "go/abi.go", "type cTopkSizes struct {\n\tstructSize     uintptr\n",
               "type cTopkSizes struct {\n")
        self.assertEqual(self.named(["post_mult", "structSize"]), ["go", "rust"])
        change(self.bindings / "python/plait/_abi.py", "PLAIT_ORDER_INDEX = 1", "PLAIT_ORDER_INDEX = 2")
        self.assertEqual(self.named(["post_mult", "structSize", "PLAIT_ORDER_INDEX"]),
                         ["go", "python", "rust"])

    def test_an_argument_out_of_reach(self):
        change(self.bindings / "go/abi.go", "\tPrevPre Buffer\n", "")
        self.assertEqual(self.named(["PrevPre"]), ["go"])

    def test_unknown_style_is_an_error(self):
        self.header("topk.h", "#ifdef __cplusplus\n}", "union surprise { int a; };\n#ifdef __cplusplus\n}")
        with self.assertRaises(SystemExit):
            self.found()


if __name__ == "__main__":
    unittest.main()
