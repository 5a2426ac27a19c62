// Rows of STACKDIM fitness cases in registers, and the GP functions on them.
// Models: the functions of functions.cuh on every case of a row. With accurate math, sine, cosine, logarithm and division are
//   written for rows: the whole row takes the common path, or, if one case needs it, CUDA's own function for all of them.
// Leaves out: nothing of the semantics; results of those four differ from CUDA's by at most 3 units in the last place.
// Sources: W. J. Cody and W. Waite, Software Manual for the Elementary Functions (1980), reduction in three steps; the
//   polynomials are minimax fits: sine on [-pi/2, pi/2], relative error 6e-9, and ln((2 + g) / (2 - g)) on [-0.4, 2/7], 3e-9.
#pragma once

#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)

#define FOR_ROW _Pragma("unroll") for (int j = 0; j < STACKDIM; j++)

struct Row {
  VALUE of[STACKDIM];
};

static __device__ __forceinline__ Row all(VALUE value) {
  Row row;
  FOR_ROW row.of[j] = value;
  return row;
}

// A row of fitness cases: a warp's cases are side by side, in groups of four per lane, so that a lane reads 16 bytes at once.
static __device__ __forceinline__ Row read_row(const VALUE* from) {
  Row row;
  _Pragma("unroll") for (int group = 0; group < STACKDIM / 4; group++) {
    uint4 four = *(const uint4*)(from + group * 128);
#if defined(BOOLEAN_WORDS)
    row.of[4 * group] = four.x, row.of[4 * group + 1] = four.y;
    row.of[4 * group + 2] = four.z, row.of[4 * group + 3] = four.w;
#else
    row.of[4 * group] = __uint_as_float(four.x), row.of[4 * group + 1] = __uint_as_float(four.y);
    row.of[4 * group + 2] = __uint_as_float(four.z), row.of[4 * group + 3] = __uint_as_float(four.w);
#endif
  }
  return row;
}

// Levels in local memory: a program needs at most 50 levels, the accumulator among them.
#define DEEP_LEVELS (49 - STACK_REGISTERS)
#if defined(BOOLEAN_WORDS)
#define VALUE_OF(word) (word)
#else
#define VALUE_OF(word) __uint_as_float(word)
#endif
// Values that the compiler computes and copies that it makes here and not before the dispatch, where every handler would
// pay for them.
static __device__ __forceinline__ unsigned here(unsigned value) {
  unsigned same;
  asm volatile("mov.u32 %0, %1;" : "=r"(same) : "r"(value));
  return same;
}

// The only input that there is is read once per pass, by an instruction; other problems read an input when an instruction
// names it.
#if defined(ONE_INPUT)
#define INPUT(index) only_input
#else
#define INPUT(index) read_row((const VALUE*)((const char*)mine + (unsigned long long)here(index) * pitch_bytes))
#endif

static __device__ __forceinline__ Row copy(Row row) {
  Row same;
#if defined(BOOLEAN_WORDS)
  FOR_ROW asm volatile("mov.b32 %0, %1;" : "=r"(same.of[j]) : "r"(row.of[j]));
#else
  FOR_ROW asm volatile("mov.b32 %0, %1;" : "=f"(same.of[j]) : "f"(row.of[j]));
#endif
  return same;
}

// Marks the value that the interpreter branches on, for tools/jump_table.py.
static __device__ __forceinline__ unsigned dispatched(unsigned handler) {
  unsigned same;
  asm volatile("mov.u32 %0, %1; // dispatch" : "=r"(same) : "r"(handler));
  return same;
}

template <int CODE>
struct Function;

#define UNARY_FUNCTION(code, expression)                        \
  template <>                                                   \
  struct Function<code> {                                       \
    static __device__ __forceinline__ Row of(Row row) {         \
      FOR_ROW {                                                 \
        VALUE a = row.of[j];                                    \
        row.of[j] = (expression);                               \
      }                                                         \
      return row;                                               \
    }                                                           \
  };
#define BINARY_FUNCTION(code, expression)                       \
  template <>                                                   \
  struct Function<code> {                                       \
    static __device__ __forceinline__ Row of(Row row, Row by) { \
      FOR_ROW {                                                 \
        VALUE a = row.of[j], b = by.of[j];                      \
        row.of[j] = (expression);                               \
      }                                                         \
      return row;                                               \
    }                                                           \
  };
#define TERNARY_FUNCTION(code, expression)                                 \
  template <>                                                              \
  struct Function<code> {                                                  \
    static __device__ __forceinline__ Row of(Row first, Row second, Row third) { \
      FOR_ROW {                                                            \
        VALUE a = first.of[j], b = second.of[j], c = third.of[j];          \
        third.of[j] = (expression);                                        \
      }                                                                    \
      return third;                                                        \
    }                                                                      \
  };

FUNCTIONS(UNARY_FUNCTION, BINARY_FUNCTION, TERNARY_FUNCTION)

// What the interpreter calls.
template <int CODE>
struct OnRow : Function<CODE> {};

#if defined(BOOLEAN_WORDS)
// One LOP3 each; the compiler makes two of some.
// The truth table of a function: of two and of three operands as LOP3 numbers them.
template <int CODE>
static __device__ constexpr unsigned table(unsigned a, unsigned b) {
  return 0xff & (CODE == LOGICAL_AND ? a & b : CODE == LOGICAL_OR ? a | b : CODE == LOGICAL_NAND ? ~(a & b) : ~(a | b));
}
// first(row, second(by, third)).
template <int FIRST, int SECOND>
static __device__ __forceinline__ Row logic_of_three(Row row, Row by, Row third) {
  constexpr unsigned TABLE = table<FIRST>(0xf0, table<SECOND>(0xcc, 0xaa));
  FOR_ROW asm("lop3.b32 %0, %1, %2, %3, %4;"
              : "=r"(row.of[j]) : "r"(row.of[j]), "r"(by.of[j]), "r"(third.of[j]), "n"(TABLE));
  return row;
}
#define LOGIC_FUNCTION(code, table)                                                                      \
  template <>                                                                                            \
  struct OnRow<code> {                                                                                   \
    static __device__ __forceinline__ Row of(Row row, Row by) {                                          \
      FOR_ROW asm("lop3.b32 %0, %1, %2, 0, " table ";" : "=r"(row.of[j]) : "r"(row.of[j]), "r"(by.of[j])); \
      return row;                                                                                        \
    }                                                                                                    \
  };
LOGIC_FUNCTION(LOGICAL_NAND, "0x3f")
LOGIC_FUNCTION(LOGICAL_NOR, "0x03")
#elif defined(MATH_FAST)
// The same as functions.cuh, without a branch for every case.
template <>
struct OnRow<DIVISION> {
  static __device__ __forceinline__ Row of(Row row, Row by) {
    FOR_ROW {
      float quotient = __fdividef(row.of[j], by.of[j]);
      row.of[j] = by.of[j] == 0.0f ? 1.0f : quotient;
    }
    return row;
  }
};
template <>
struct OnRow<LOGARITHM> {
  static __device__ __forceinline__ Row of(Row row) {
    FOR_ROW {
      float value = __logf(fabsf(row.of[j]));
      row.of[j] = row.of[j] == 0.0f ? 0.0f : value;
    }
    return row;
  }
};
#elif !defined(CUDAS_MATH)
// Whether a lane needs the seldom path. All lanes then take it: a branch that the warp agrees on needs no meeting point.
static __device__ __forceinline__ bool seldom(bool condition) { return __any_sync(0xffffffffu, condition); }

// 1.5 * 2^23: adding it rounds to an integer, whose lowest bits are then those of the sum.
#define ROUNDER 12582912.0f
// sin(r) for r in [-pi/2, pi/2], negated if bit 0 of `half_turns` is set.
static __device__ __forceinline__ float sine_near_zero(float r, float half_turns) {
  float s = r * r;
  float p = fmaf(fmaf(fmaf(2.605750979e-06f, s, -1.980959059e-04f), s, 8.333066478e-03f), s, -1.666665971e-01f);
  float value = fmaf(p, r * s, r);
  return __uint_as_float(__float_as_uint(value) + (__float_as_uint(half_turns) << 31));
}
static __device__ __forceinline__ float without_multiples_of_pi(float a, float multiples) {
  a = fmaf(multiples, -3.14159203e+00f, a);
  a = fmaf(multiples, -6.27832947e-07f, a);
  return fmaf(multiples, -1.07806051e-14f, a);
}
static __device__ __forceinline__ float reduced_sine(float a) {
  float rounded = fmaf(a, 0.318309886f, ROUNDER);
  return sine_near_zero(without_multiples_of_pi(a, rounded - ROUNDER), rounded);
}
static __device__ __forceinline__ float reduced_cosine(float a) {
  float rounded = fmaf(a, 0.318309886f, 0.5f) + ROUNDER;
  return sine_near_zero(without_multiples_of_pi(a, (rounded - ROUNDER) - 0.5f), rounded);
}
// The same by double precision, for |a| up to 10^15; beyond, CUDA's own functions.
static __device__ __forceinline__ float large_sine(float a, bool is_cosine) {
  if (fabsf(a) > 1e15f) return is_cosine ? cosf(a) : sinf(a);
  const double rounder = 6755399441055744.0;  // 1.5 * 2^52
  double half = is_cosine ? 0.5 : 0.0;
  double rounded = fma((double)a, 0.31830988618379067, half) + rounder;
  double multiples = rounded - rounder - half;
  double r = fma(multiples, -1.2246467991473532e-16, fma(multiples, -3.141592653589793, (double)a));
  return sine_near_zero((float)r, __int_as_float(__double2loint(rounded)));
}
static __device__ __noinline__ Row row_of_large_sines(Row row, bool is_cosine) {
#pragma unroll 1
  for (int j = 0; j < STACKDIM; j++) row.of[j] = large_sine(row.of[j], is_cosine);
  return row;
}
// Above this, a multiple of pi no longer subtracts exactly in single precision.
#define LARGEST_REDUCED 105615.0f
#define REDUCED_FUNCTION(code, reduced, is_cosine)                         \
  template <>                                                              \
  struct OnRow<code> {                                                     \
    static __device__ __forceinline__ Row of(Row row) {                    \
      bool is_large = false;                                               \
      FOR_ROW is_large |= fabsf(row.of[j]) > LARGEST_REDUCED;              \
      if (seldom(is_large)) return row_of_large_sines(row, is_cosine);             \
      FOR_ROW row.of[j] = reduced(row.of[j]);                              \
      return row;                                                          \
    }                                                                      \
  };
#if defined(MATHEMATICS)
REDUCED_FUNCTION(SINE, reduced_sine, false)
REDUCED_FUNCTION(COSINE, reduced_cosine, true)
#endif

static __device__ __forceinline__ float reciprocal(float b) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
  return r;
}
// ln(m * 2^e) = ln(m) + e ln(2) with m in [2/3, 4/3), for the bits of a normal number.
static __device__ __forceinline__ float log_of_bits(int bits) {
  int exponent = (bits - 0x3f2aaaab) & 0xff800000;
  float f = __int_as_float(bits - exponent) - 1.0f;
  float g = f * reciprocal(fmaf(f, 0.5f, 1.0f));
  float s = g * g;
  float p = fmaf(fmaf(2.371919109e-03f, s, 1.248682011e-02f), s, 8.333368599e-02f);
  return fmaf((float)exponent, 8.26295832e-08f, fmaf(p, g * s, g));
}
#if defined(MATHEMATICS)
static __device__ __noinline__ Row row_of_logs(Row row) {
#pragma unroll 1
  for (int j = 0; j < STACKDIM; j++) row.of[j] = protected_log(row.of[j]);
  return row;
}
// A zero is taken as a one, whose logarithm is the zero that protection asks for.
template <>
struct OnRow<LOGARITHM> {
  static __device__ __forceinline__ Row of(Row row) {
    Row logs;
    bool uncommon = false;
    FOR_ROW {
      float a = fabsf(row.of[j]);
      int bits = __float_as_int(a == 0.0f ? 1.0f : a);
      // Less than the smallest normal number, infinite or no number.
      uncommon |= bits - 0x00800000u >= 0x7f000000u;
      logs.of[j] = log_of_bits(bits);
    }
    if (seldom(uncommon)) return row_of_logs(row);
    return logs;
  }
};
#endif

static __device__ __noinline__ Row row_of_divisions(Row row, Row by) {
#pragma unroll 1
  for (int j = 0; j < STACKDIM; j++) row.of[j] = protected_division(row.of[j], by.of[j]);
  return row;
}
// The quotient is refined once. Where a step overflows, its result is no number; above 2^126 the reciprocal is none.
template <>
struct OnRow<DIVISION> {
  static __device__ __forceinline__ Row of(Row row, Row by) {
    Row quotient;
    bool uncommon = false;
    FOR_ROW {
      float a = row.of[j], b = by.of[j];
      float r = reciprocal(b);
      float q = a * r;
      q = fmaf(fmaf(-b, q, a), r, q);
      q = b == 0.0f ? 1.0f : q;
      uncommon |= fabsf(b) > 8.50705917e+37f || q != q;
      quotient.of[j] = q;
    }
    if (seldom(uncommon)) return row_of_divisions(row, by);
    return quotient;
  }
};
#endif

// The sum over the block, written by its first thread.
static __device__ __forceinline__ void add_to_block(float sum, float* results) {
  __shared__ float of_warp[32];
#pragma unroll
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, lane);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = 0.0f;
    for (int warp = 0; warp < (blockDim.x + 31) / 32; warp++) sum += of_warp[warp];
    results[blockIdx.x * gridDim.y + blockIdx.y] = sum;
  }
}
