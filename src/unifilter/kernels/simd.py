"""Vectors of one cache line as numba values, so that a kernel is vectorised by construction.

LLVM cannot prove that numba's arrays do not overlap, and so keeps an accumulator in memory that belongs in a
register. A value of type ``Vec`` lives in registers by definition. How many numbers it holds follows from
their type: 16 of float32, 8 of float64. Arrays of uint16 hold bfloat16, the upper halves of float32, and are
read as 16 of these.
"""

from __future__ import annotations

import platform

from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic, models, register_model

# Without the instruction, llvm.fma would call a function for every lane.
FUSED = platform.machine() in ("aarch64", "arm64") or bool(get_host_cpu_features().get("fma"))


class Vec(types.Type):
    """``lanes`` numbers of type ``dtype``, held in registers."""

    def __init__(self, dtype, lanes: int) -> None:
        self.dtype, self.lanes = dtype, lanes
        super().__init__(name=f"Vec({dtype}, {lanes})")


def _line(dtype) -> Vec:
    return Vec(types.float32, 16) if dtype == types.uint16 else Vec(dtype, 512 // dtype.bitwidth)


@register_model(Vec)
class VecModel(models.PrimitiveModel):
    """Laid out as an LLVM vector."""

    def __init__(self, manager, vec) -> None:
        super().__init__(manager, vec, ir.VectorType(manager.lookup(vec.dtype).get_value_type(), vec.lanes))


def _address(context, builder, array_type, array, offset, vector):
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [offset]), vector.as_pointer())


@intrinsic
def width(typing, array):
    """How many entries of the array make a vector; a constant to the compiler."""

    def generate(context, builder, signature, args):
        return context.get_constant(types.intp, _line(array.dtype).lanes)

    return types.intp(array), generate


@intrinsic
def load(typing, array, offset):
    """The vector that begins ``offset`` entries after the array's first one."""
    vec = _line(array.dtype)

    def generate(context, builder, signature, args):
        kind = context.get_value_type(vec)
        half = array.dtype == types.uint16
        stored = ir.VectorType(ir.IntType(16), vec.lanes) if half else kind
        value = builder.load(_address(context, builder, signature.args[0], args[0], args[1], stored))
        value.align = array.dtype.bitwidth // 8
        return _widened(builder, value, kind) if half else value

    return vec(array, types.intp), generate


@intrinsic
def ask_for(typing, array, offset):
    """Have the line that ``load`` would read fetched; one beyond the array is no error."""

    def generate(context, builder, signature, args):
        byte = ir.IntType(8).as_pointer()
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        where = builder.bitcast(builder.gep(data, [args[1]]), byte)
        flags = [ir.Constant(ir.IntType(32), flag) for flag in (0, 3, 1)]  # to read, keep it near, data
        whole = ir.FunctionType(ir.VoidType(), [byte] + [flag.type for flag in flags])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", (byte,), whole)
        builder.call(fetch, [where, *flags])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


@intrinsic
def store(typing, array, offset, value):
    """Write ``value`` where ``load`` would read it."""

    def generate(context, builder, signature, args):
        kind = context.get_value_type(signature.args[2])
        where = _address(context, builder, signature.args[0], args[0], args[1], kind)
        builder.store(args[2], where).align = array.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, types.intp, value), generate


@intrinsic
def load_some(typing, array, offset, m):
    """The first ``m`` entries of what ``load`` would read, and zeros; what lies beyond is not touched."""
    vec = _line(array.dtype)

    def generate(context, builder, signature, args):
        kind = context.get_value_type(vec)
        half = array.dtype == types.uint16
        stored = ir.VectorType(ir.IntType(16), vec.lanes) if half else kind
        where = _address(context, builder, signature.args[0], args[0], args[1], stored)
        align = ir.Constant(ir.IntType(32), array.dtype.bitwidth // 8)
        zeros = ir.Constant(stored, [0 if half else 0.0] * vec.lanes)
        given = [where, align, _first(builder, args[2], vec.lanes), zeros]
        value = _masked(builder, "load", stored, stored, given)
        return _widened(builder, value, kind) if half else value

    return vec(array, types.intp, types.intp), generate


@intrinsic
def store_some(typing, array, offset, m, value):
    """Write the first ``m`` entries of ``value``, and nothing beyond them."""

    def generate(context, builder, signature, args):
        kind = context.get_value_type(signature.args[3])
        where = _address(context, builder, signature.args[0], args[0], args[1], kind)
        align = ir.Constant(ir.IntType(32), array.dtype.bitwidth // 8)
        given = [args[3], where, align, _first(builder, args[2], kind.count)]
        _masked(builder, "store", kind, ir.VoidType(), given)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, value), generate


def _masked(builder, what, kind, result, given):
    """Call llvm.masked.load or store for vectors of a kind."""
    element = {ir.FloatType(): "f32", ir.DoubleType(): "f64"}.get(kind.element, "i16")
    whole = ir.FunctionType(result, [g.type for g in given])
    name = f"llvm.masked.{what}.v{kind.count}{element}.p0"
    return builder.call(get_or_insert_function(builder.module, whole, name), given)


def _first(builder, m, lanes):
    """Which lanes are among the first ``m``."""
    numbers = ir.VectorType(ir.IntType(32), lanes)
    limit = _everywhere(builder, builder.trunc(m, ir.IntType(32)), numbers)
    return builder.icmp_unsigned("<", ir.Constant(numbers, list(range(lanes))), limit)


def _everywhere(builder, value, kind):
    """The same value in every lane."""
    undefined = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    return builder.shuffle_vector(first, undefined, zeros)


def _widened(builder, value, kind):
    """The bits of bfloat16 as float32."""
    bits = ir.VectorType(ir.IntType(32), kind.count)
    shift = ir.Constant(bits, [16] * kind.count)
    return builder.bitcast(builder.shl(builder.zext(value, bits), shift), kind)


@intrinsic
def splat(typing, number):
    """The same number in every lane."""
    vec = _line(number)

    def generate(context, builder, signature, args):
        return _everywhere(builder, args[0], context.get_value_type(vec))

    return vec(number), generate


@intrinsic
def wide_zero(typing, array):
    """Zeros of float64, as many as entries of the array make a vector: where its sums are accumulated."""
    vec = Vec(types.float64, _line(array.dtype).lanes)

    def generate(context, builder, signature, args):
        return ir.Constant(context.get_value_type(vec), [0.0] * vec.lanes)

    return vec(array), generate


@intrinsic
def fma(typing, a, b, c):
    """``a * b + c``, rounded once where the machine has an instruction for it.

    Asked for, and not left to the compiler: a serial and a parallel form must give the same bits.
    """

    def generate(context, builder, signature, args):
        if FUSED:
            kind = args[0].type
            name = f"llvm.fma.v{kind.count}{'f32' if kind.element == ir.FloatType() else 'f64'}"
            whole = ir.FunctionType(kind, [kind] * 3)
            return builder.call(get_or_insert_function(builder.module, whole, name), args)
        return builder.fadd(builder.fmul(args[0], args[1]), args[2])

    return a(a, b, c), generate


@intrinsic
def mul(typing, a, b):
    """``a * b``, lane by lane."""

    def generate(context, builder, signature, args):
        return builder.fmul(args[0], args[1])

    return a(a, b), generate


@intrinsic
def sub(typing, a, b):
    """``a - b``, lane by lane."""

    def generate(context, builder, signature, args):
        return builder.fsub(args[0], args[1])

    return a(a, b), generate


@intrinsic
def add(typing, a, b):
    """``a + b``, lane by lane."""

    def generate(context, builder, signature, args):
        return builder.fadd(args[0], args[1])

    return a(a, b), generate


@intrinsic
def total(typing, a):
    """The sum of all lanes, halves onto halves: the same bits wherever it runs."""

    def generate(context, builder, signature, args):
        value, lanes = args[0], a.lanes
        while lanes > 1:
            lanes //= 2
            places = ir.VectorType(ir.IntType(32), lanes)
            halves = (
                builder.shuffle_vector(
                    value,
                    ir.Constant(value.type, ir.Undefined),
                    ir.Constant(places, list(range(at, at + lanes))),
                )
                for at in (0, lanes)
            )
            value = builder.fadd(*halves)
        return builder.extract_element(value, ir.Constant(ir.IntType(32), 0))

    return a.dtype(a), generate


@intrinsic
def widen(typing, a):
    """The same numbers as float64."""
    vec = Vec(types.float64, a.lanes)

    def generate(context, builder, signature, args):
        if a.dtype == types.float64:
            return args[0]
        return builder.fpext(args[0], context.get_value_type(vec))

    return vec(a), generate


@intrinsic
def drawn(typing, first, drop, factor):
    """``factor`` in lanes whose hash is at least ``drop``, 0 elsewhere: lane t hashes first + t * 0x9E3779B9.

    The hash is ``reference.scramble``, on all lanes at once: written as a loop, LLVM unrolls it instead.
    """
    vec = _line(factor)

    def generate(context, builder, signature, args):
        numbers = ir.VectorType(ir.IntType(32), vec.lanes)

        def constant(value):
            return ir.Constant(numbers, [value] * vec.lanes)

        steps = ir.Constant(numbers, [(t * 0x9E3779B9) & 0xFFFFFFFF for t in range(vec.lanes)])
        x = builder.add(_everywhere(builder, args[0], numbers), steps)
        for shift, factor_ in ((16, 0x7FEB352D), (15, 0x846CA68B)):
            x = builder.mul(builder.xor(x, builder.lshr(x, constant(shift))), constant(factor_))
        x = builder.xor(x, builder.lshr(x, constant(16)))
        kept = builder.icmp_unsigned(">=", x, _everywhere(builder, args[1], numbers))
        kind = context.get_value_type(vec)
        return builder.select(kept, _everywhere(builder, args[2], kind), ir.Constant(kind, [0.0] * vec.lanes))

    return vec(types.uint32, types.uint32, factor), generate
