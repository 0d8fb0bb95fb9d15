"""Kernels: how functions become machine code, what they take together, how one calls another, and how code is kept.

kernels.py      the decorator: inner kernels, units, entries; choices among the kinds of a family
bundle.py       arrays under names, passed as one pointer
doors.py        calls of code that is compiled when a model needs it
linking.py      the code of a kernel and all that it calls, optimised once
cache.py        machine code on disk, one file for each kernel and each list of argument types
loading.py      what is taken from there, and what of it waits until it is needed
sources.py      which files a kernel is made from
folder.py       where machine code is kept, whether that place can be trusted, what is removed when
progress.py     what is said while compiling
times.py        how long kernels take to compile, here and elsewhere
"""

from .bundle import Bundle as Bundle
from .bundle import opener as opener
from .folder import cache_folder as cache_folder
from .folder import cache_root as cache_root
from .kernels import DISABLED as DISABLED
from .kernels import Choice as Choice
from .kernels import is_kernel as is_kernel
from .kernels import kernel as kernel
from .sources import KERNEL_FREE as KERNEL_FREE
from .sources import PACKAGE as PACKAGE
from .sources import kernel_sources as kernel_sources
