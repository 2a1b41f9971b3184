"""Intrinsics that write eight cells of a plane or mask at once.

LLVM does not find these vector stores in a plain loop, and planes are most of a step's cost. The
caller keeps ``at + 8`` within the array. With ``NUMBA_DISABLE_JIT=1`` plain Python does the same.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from boop_env.rules.compiled import inlined

LANES = np.arange(8, dtype=np.uint64)

if config.DISABLE_JIT:  # type: ignore[attr-defined]

    def has_pext():
        """Whether the processor extracts bits in one instruction."""
        return False

    def pext(bits, mask):
        """Not reached."""

    def store_bits(plane, at, bits):
        """The low eight bits as eight floats, 0 or 1, from index `at` on."""
        plane[at : at + 8] = (np.uint64(bits) >> LANES) & np.uint64(1)

    def store_value(plane, at, value):
        """One float eight times from index `at` on."""
        plane[at : at + 8] = value

    def store_mask(mask, at, bits):
        """The low eight bits as eight int8, 0 or 1, from index `at` on."""
        mask[at : at + 8] = (np.uint64(bits) >> LANES) & np.uint64(1)

    def store_zeros(mask, at, count):
        """So many zeros from index `at` on."""
        mask[at : at + count] = 0

else:
    I32 = ir.IntType(32)
    EIGHT_I32 = ir.VectorType(I32, 8)
    EIGHT_FLOATS = ir.VectorType(ir.FloatType(), 8)
    EIGHT_I8 = ir.VectorType(ir.IntType(8), 8)

    def _splat(builder, scalar, vector):
        """A vector with one value in all lanes."""
        undefined = ir.Constant(vector, ir.Undefined)
        first = builder.insert_element(undefined, scalar, ir.Constant(I32, 0))
        return builder.shuffle_vector(first, undefined, ir.Constant(EIGHT_I32, [0] * 8))

    def _store(context, builder, array_type, array, at, vector):
        """Stores a vector at an index of an array, unaligned."""
        data = context.make_array(array_type)(context, builder, array).data
        pointer = builder.bitcast(builder.gep(data, [at]), vector.type.as_pointer())
        builder.store(vector, pointer).align = array_type.dtype.bitwidth // 8
        return context.get_dummy_value()

    def _lanes(builder, bits):
        """The low eight bits as a vector of eight 0 or 1."""
        lanes = _splat(builder, builder.trunc(bits, I32), EIGHT_I32)
        lanes = builder.lshr(lanes, ir.Constant(EIGHT_I32, list(range(8))))
        return builder.and_(lanes, ir.Constant(EIGHT_I32, [1] * 8))

    @intrinsic
    def has_pext(typingctx):
        """Whether the processor extracts bits in one instruction."""

        def codegen(context, builder, signature, args):
            return context.get_constant(types.boolean, "+bmi2" in context.codegen()._tm_features)

        return types.boolean(), codegen

    @intrinsic
    def pext(typingctx, bits, mask):
        """x86's bit extraction; compiled, and never called, as 0 where there is none."""

        def codegen(context, builder, signature, args):
            if "+bmi2" not in context.codegen()._tm_features:
                return args[0]
            kind = ir.FunctionType(ir.IntType(64), [ir.IntType(64)] * 2)
            function = builder.module.declare_intrinsic("llvm.x86.bmi.pext.64", (), kind)
            return builder.call(function, args)

        return types.uint64(types.uint64, types.uint64), codegen

    @intrinsic
    def store_bits(typingctx, plane, at, bits):
        """The low eight bits as eight floats, 0 or 1, from index `at` on."""

        def codegen(context, builder, signature, args):
            floats = builder.uitofp(_lanes(builder, args[2]), EIGHT_FLOATS)
            return _store(context, builder, signature.args[0], args[0], args[1], floats)

        return types.none(plane, types.int64, types.uint64), codegen

    @intrinsic
    def store_value(typingctx, plane, at, value):
        """One float eight times from index `at` on."""

        def codegen(context, builder, signature, args):
            floats = _splat(builder, args[2], EIGHT_FLOATS)
            return _store(context, builder, signature.args[0], args[0], args[1], floats)

        return types.none(plane, types.int64, types.float32), codegen

    @intrinsic
    def store_mask(typingctx, mask, at, bits):
        """The low eight bits as eight int8, 0 or 1, from index `at` on."""

        def codegen(context, builder, signature, args):
            lanes = builder.trunc(_lanes(builder, args[2]), EIGHT_I8)
            return _store(context, builder, signature.args[0], args[0], args[1], lanes)

        return types.none(mask, types.int64, types.uint64), codegen

    @intrinsic
    def store_zeros(typingctx, mask, at, count):
        """So many zeros from index `at` on; an int8 array."""

        def codegen(context, builder, signature, args):
            data = context.make_array(signature.args[0])(context, builder, args[0]).data
            cgutils.memset(builder, builder.gep(data, [args[1]]), args[2], 0)
            return context.get_dummy_value()

        return types.none(mask, types.int64, types.int64), codegen


@inlined
def compress(bits, mask):
    """The bits under `mask`, moved together at the low end: a bitboard as one bit a cell."""
    if has_pext():
        return pext(bits, mask)
    packed = np.uint64(0)
    place = np.uint64(1)
    while mask != np.uint64(0):
        lowest = mask & (~mask + np.uint64(1))
        if bits & lowest != np.uint64(0):
            packed |= place
        mask ^= lowest
        place <<= np.uint64(1)
    return packed
