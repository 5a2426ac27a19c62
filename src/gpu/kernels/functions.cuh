// The GP functions as the interpreters execute them, their token codes, and the error of one fitness case.
// Models: the protected semantics of src/gp/primitive.rs; the function set of one problem per compilation.
// Leaves out: the order of evaluation of whole programs (the .cu files).
// Units: one VALUE is one fitness case (float), or 32 Boolean fitness cases (unsigned).
// Sources: Chitty 2016, sections 4.2 and 5 (function sets, one interpreter per problem).
#pragma once

// Words of a program. A terminal is followed by its operand: a constant's value, an input's index.
#define CONST_VALUE 0
#define DATA_INPUT 1
#define ADDITION 2
#define SUBTRACTION 3
#define MULTIPLICATION 4
#define DIVISION 5
#define SINE 6
#define COSINE 7
#define LOGARITHM 8
#define EXPONENTIAL 9
#define END 255

typedef float VALUE;

// The shape of the loops over the second dimension of the stack (INPUT_LOOP: the one that reads fitness cases).
#if defined(SHAPE_UNROLLED)
#define STACK_LOOP _Pragma("unroll")
#define INPUT_LOOP _Pragma("unroll")
#elif defined(SHAPE_ROLLED)
#define STACK_LOOP _Pragma("unroll 1")
#define INPUT_LOOP _Pragma("unroll 1")
#elif defined(SHAPE_ROLLED_INPUT)
#define STACK_LOOP _Pragma("unroll")
#define INPUT_LOOP _Pragma("unroll 1")
#else
#error "define SHAPE_UNROLLED, SHAPE_ROLLED or SHAPE_ROLLED_INPUT"
#endif

// How a program word is held in shared memory and compared: as the paper's float, or as an integer.
#if defined(DISPATCH_FLOAT)
typedef float WORD;
#define AS_VALUE(word) (word)
#define AS_INDEX(word) ((int)(word))
#elif defined(DISPATCH_INT)
typedef int WORD;
#define AS_VALUE(word) __int_as_float(word)
#define AS_INDEX(word) (word)
#else
#error "define DISPATCH_FLOAT or DISPATCH_INT"
#endif

static __device__ __forceinline__ float protected_division(float a, float b) { return b == 0.0f ? 1.0f : a / b; }
static __device__ __forceinline__ float protected_log(float a) { return a == 0.0f ? 0.0f : logf(fabsf(a)); }

// FUNCTIONS(UNARY, BINARY, TERNARY): the function set in the order in which the interpreter compares.
#if defined(PROBLEM_SEXTIC)
#define FUNCTIONS(UNARY, BINARY, TERNARY)                                                   \
  BINARY(ADDITION, a + b) BINARY(SUBTRACTION, a - b) BINARY(MULTIPLICATION, a * b)          \
  BINARY(DIVISION, protected_division(a, b)) UNARY(SINE, sinf(a)) UNARY(COSINE, cosf(a))    \
  UNARY(LOGARITHM, protected_log(a)) UNARY(EXPONENTIAL, expf(a))
static __device__ __forceinline__ float error(VALUE result, VALUE expected) {
  float difference = result - expected;
  return difference * difference;
}
#else
#error "define PROBLEM_SEXTIC"
#endif
