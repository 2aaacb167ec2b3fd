# SPDX-License-Identifier: MIT
"""plait: hyper-connections and the sparse indexer of DeepSeek-V4-style models, on raw arrays.

    import plait
    with plait.Context("cpu") as context, plait.MhcPlan(context, hidden=4096) as plan:
        plan.pre(tokens=8, residual=residual, fn=fn, base=base, scale=scale, post_mix=post_mix,
                 comb_mix=comb_mix, layer_input=layer_input, workspace=plan.workspace(8))

Importing this touches no GPU and loads no library: libplait.so is loaded when first needed, from
PLAIT_LIBRARY, a build folder of this source tree, or the system's library path.
"""
from __future__ import annotations

from ._buffers import pointer
from ._call import Call
from ._context import (BackendInfo, Context, ContextInfo, Event, Graph, Memory, Stream, Workspace,
                       probe, torch_stream)
from ._enums import (Argument, Backend, Collapse, Dtype, Format, Layout, LogLevel, Norm, Op, Order,
                     PlanKind, Policy, Rope, RopePlacement, Status)
from ._errors import *  # noqa: F403
from ._library import library, load
from ._plans import Candidate, IndexerPlan, MhcPlan, TopkPlan
from ._sizes import IndexerSizes, MhcSizes, TopkSizes
from ._status import (ArrayError, CallerError, ClosedError, DeviceError, Error, LibraryNotFoundError,
                      ResourceError, UnsupportedError)


def version() -> str:
    """The version of the library that is loaded, "0.1.0"."""
    return str(library().plait_version_string().decode())


__version__ = "0.1.0"
