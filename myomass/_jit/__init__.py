"""Kernels: how functions become machine code, what they take together, and how one calls another.

kernels.py      the decorator: inner kernels, units, entries; choices among the kinds of a family
bundle.py       arrays under names, passed as one pointer
doors.py        calls of code that is compiled when a model needs it
linking.py      the code of a kernel and all that it calls, optimised once
"""

from .bundle import Bundle as Bundle
from .bundle import numbers as numbers
from .bundle import opener as opener
from .bundle import plain as plain
from .bundle import real_number as real_number
from .bundle import reals as reals
from .bundle import records as records
from .bundle import scratch as scratch
from .bundle import whole_number as whole_number
from .kernels import CACHE_DIR as CACHE_DIR
from .kernels import DISABLED as DISABLED
from .kernels import KERNEL_FREE as KERNEL_FREE
from .kernels import PACKAGE as PACKAGE
from .kernels import Choice as Choice
from .kernels import kernel as kernel
