"""Kernels: how functions become machine code, and how that is kept.

kernels.py      the decorator
cache.py        machine code on disk, one file for each kernel and each list of argument types
loading.py      what is taken from there, and what of it waits until it is needed
sources.py      which files a kernel is made from
folder.py       where machine code is kept, whether that place can be trusted, what is removed when
progress.py     what is said while compiling
times.py        how long kernels take to compile, here and elsewhere
"""

from .folder import cache_folder as cache_folder
from .folder import cache_root as cache_root
from .kernels import DISABLED as DISABLED
from .kernels import address_of as address_of
from .kernels import caller as caller
from .kernels import choose as choose
from .kernels import kernel as kernel
from .sources import KERNEL_FREE as KERNEL_FREE
from .sources import PACKAGE as PACKAGE
from .sources import kernel_sources as kernel_sources
