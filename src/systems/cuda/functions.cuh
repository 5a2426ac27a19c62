// The GP functions as the interpreters execute them, their token codes, and the error of one fitness case.
// Models: the protected semantics of src/gp/primitive.rs; the function set of one problem per compilation.
// Leaves out: the order of evaluation of whole programs (the .cu files).
// Units: one VALUE is one fitness case (float), or 32 Boolean fitness cases (unsigned).
// Sources: Chitty 2016, sections 4.2 and 5 (function sets, one interpreter per problem; its text prints greater-than and
//   less-than as `>>` and `<<`). How a result names a class is not in the paper.
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
#define GREATER_THAN 10
#define LESS_THAN 11
#define EQUALITY 12
#define LOGICAL_AND 13
#define LOGICAL_OR 14
#define CONDITIONAL 15
#define LOGICAL_NAND 16
#define LOGICAL_NOR 17
// An operand of an LGP instruction: the top of the stack (the others are CONST_VALUE and DATA_INPUT).
#define STACK_VALUE 254
// Ends a program.
#define END 255

// The compiled function sets. FUNCTIONS(UNARY, BINARY, TERNARY): the functions in the order in which the interpreter compares.
// BOOLEAN_WORDS: a VALUE is 32 Boolean cases, and an error the number of wrong ones. SQUARED_ERROR: an error is the square of
// the difference; without either it is 1 for a wrong class. ONE_INPUT: no case has a second input. MATHEMATICS: the set has
// TRANSCENDENTAL.
#if defined(PROBLEM_SEXTIC)
#define ONE_INPUT
#define SQUARED_ERROR
#define MATHEMATICS
#define FUNCTIONS(UNARY, BINARY, TERNARY) ARITHMETIC(BINARY) TRANSCENDENTAL(UNARY)
#elif defined(PROBLEM_SHUTTLE)
#define FUNCTIONS(UNARY, BINARY, TERNARY) ARITHMETIC(BINARY) DECISION(BINARY, TERNARY)
#elif defined(PROBLEM_KDDCUP)
#define MATHEMATICS
#define FUNCTIONS(UNARY, BINARY, TERNARY) ARITHMETIC(BINARY) DECISION(BINARY, TERNARY) TRANSCENDENTAL(UNARY)
#elif defined(PROBLEM_MUX20)
#define BOOLEAN_WORDS
#define FUNCTIONS(UNARY, BINARY, TERNARY) LOGIC(BINARY)
#else
#error "define PROBLEM_SEXTIC, PROBLEM_SHUTTLE, PROBLEM_KDDCUP or PROBLEM_MUX20"
#endif

#if defined(BOOLEAN_WORDS)
typedef unsigned VALUE;
#else
typedef float VALUE;
#endif

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
#define AS_VALUE(word) ((VALUE)(word))
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
static __device__ __forceinline__ float truth(bool condition) { return condition ? 1.0f : 0.0f; }

// The functions, in groups that sets have whole.
#define ARITHMETIC(BINARY)                                                         \
  BINARY(ADDITION, a + b) BINARY(SUBTRACTION, a - b) BINARY(MULTIPLICATION, a * b) \
  BINARY(DIVISION, protected_division(a, b))
#define TRANSCENDENTAL(UNARY)                                                           \
  UNARY(SINE, sinf(a)) UNARY(COSINE, cosf(a)) UNARY(LOGARITHM, protected_log(a)) \
  UNARY(EXPONENTIAL, expf(a))
#define DECISION(BINARY, TERNARY)                                                       \
  BINARY(GREATER_THAN, truth(a > b)) BINARY(LESS_THAN, truth(a < b))                    \
  BINARY(EQUALITY, truth(a == b)) BINARY(LOGICAL_AND, truth(a != 0.0f && b != 0.0f))    \
  BINARY(LOGICAL_OR, truth(a != 0.0f || b != 0.0f)) TERNARY(CONDITIONAL, a != 0.0f ? b : c)
#define LOGIC(BINARY)                                    \
  BINARY(LOGICAL_AND, a & b) BINARY(LOGICAL_OR, a | b)   \
  BINARY(LOGICAL_NAND, ~(a & b)) BINARY(LOGICAL_NOR, ~(a | b))

// What one result adds to a program's error.
static __device__ __forceinline__ float error(VALUE result, VALUE expected) {
#if defined(SQUARED_ERROR)
  float difference = result - expected;
  return difference * difference;
#elif defined(BOOLEAN_WORDS)
  return (float)__popc(result ^ expected);
#else
  // A class is right when the result rounds to it.
  return fabsf(result - expected) < 0.5f ? 0.0f : 1.0f;
#endif
}
