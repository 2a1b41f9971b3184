"""How the rules are compiled: the decorator, bit intrinsics and the random generator.

With ``NUMBA_DISABLE_JIT=1`` everything here is plain Python on NumPy scalars.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numba import config, njit, types
from numba.core import event
from numba.extending import intrinsic

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""Step of the SplitMix64 sequence (Steele, Lea and Flood, 2014)."""


class FirstCompilation(event.Listener):
    """Says once a process, in one line, that our functions are being compiled and why it takes long."""

    def __init__(self) -> None:
        self.told = False

    def on_start(self, event: event.Event) -> None:
        """Called when Numba compiles a function, which it does not when its cache has it."""
        module: Any = event.data["dispatcher"].py_func.__module__
        if not self.told and module.split(".")[0] in ("boop_env", "train"):
            self.told = True
            print("boop_env: compiling, once for this version and machine; this can take a minute", file=sys.stderr)

    def on_end(self, event: event.Event) -> None:
        """Nothing to say."""


event.register("numba:compile", FirstCompilation())

if config.DISABLE_JIT:  # type: ignore[attr-defined]

    def compiled(function):
        """The function itself, made quiet about the wrap-around that 64-bit words rely on."""
        return np.errstate(over="ignore")(function)

    inlined = compiled

    def popcount(bits):
        """Set bits of a ``uint64``."""
        return int(bits).bit_count()

    def lowest_bit(bits):
        """Index of the lowest set bit; `bits` is not 0."""
        return (int(bits) & -int(bits)).bit_length() - 1

    def highest_bit(bits):
        """Index of the highest set bit; `bits` is not 0."""
        return int(bits).bit_length() - 1

else:

    @cache
    def newest_source(folder):
        """Time and size of the newest Python file of a folder."""
        return max((source.stat().st_mtime_ns, source.stat().st_size) for source in folder.glob("*.py"))

    def stamped(dispatcher):
        """Makes a function's cache stale when any file of its folder or of the rules changes.

        Numba looks at the function's own file only, and would go on calling old code inlined from others.
        """
        folders = Path(__file__).parent, Path(dispatcher.py_func.__code__.co_filename).parent
        cache_file = dispatcher._cache._cache_file
        cache_file._source_stamp = (cache_file._source_stamp, *map(newest_source, folders))
        return dispatcher

    def compiled(function):
        """Compiles a function at its first call, and caches it on disk; it runs without the GIL."""
        return stamped(njit(cache=True, nogil=True, error_model="numpy")(function))

    def inlined(function):
        """The same, always inlined: passing a `State`, many words, costs more than most of what is done to it."""
        return stamped(njit(cache=True, nogil=True, error_model="numpy", forceinline=True)(function))

    @intrinsic
    def popcount(typingctx, bits):
        """Set bits of a ``uint64``."""

        def codegen(context, builder, signature, args):
            return builder.ctpop(args[0])

        return types.int64(types.uint64), codegen

    @intrinsic
    def lowest_bit(typingctx, bits):
        """Index of the lowest set bit; `bits` is not 0."""

        def codegen(context, builder, signature, args):
            return builder.cttz(args[0], context.get_constant(types.boolean, True))

        return types.int64(types.uint64), codegen

    @intrinsic
    def highest_bit(typingctx, bits):
        """Index of the highest set bit; `bits` is not 0."""

        def codegen(context, builder, signature, args):
            zeros = builder.ctlz(args[0], context.get_constant(types.boolean, True))
            return builder.sub(zeros.type(63), zeros)

        return types.int64(types.uint64), codegen


@compiled
def random_next(seed):
    """Next state of a SplitMix64 generator."""
    return seed + GOLDEN


@compiled
def random_bits(seed):
    """The 64 random bits of a generator state."""
    bits = (seed ^ (seed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@compiled
def scale(bits, n):
    """A number from 0 to n - 1 from the high half of 64 random bits; n is below 2**32."""
    return np.int64(((bits >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))
