// A linear program whose last result stays in registers (the accumulator), for many fitness cases per thread.
// Models: one instruction is a handler's number and its operand, so that a function costs one dispatch however its operands
//   are found. The stack below the accumulator is STACK_REGISTERS levels of registers, each with handlers of its own, and
//   local memory above. A thread works on STACKDIM cases (words for mux20) at once. blockIdx.x is the program; block
//   blockIdx.y of gridDim.y takes every gridDim.y-th pass over the cases. One result per block.
// Leaves out: padding, as in rpn.cu.
// Units: numcases is a multiple of blockDim.x * STACKDIM, STACKDIM one of 4; maxprogsize counts 32-bit words and is even.
// Sources: none of the papers; src/systems/chitty/accumulate.rs writes the instructions and numbers the handlers alike.
#include "functions.cuh"
#include "rows.cuh"

#if STACK_REGISTERS == 2
#define FOR_LEVELS(M) M(1) M(2)
#define FOR_LEVELS_OF(M, code) M(1, code) M(2, code)
#define FOR_PAIRS_OF(M, code) M(1, 2, code)
#elif STACK_REGISTERS == 3
#define FOR_LEVELS(M) M(1) M(2) M(3)
#define FOR_LEVELS_OF(M, code) M(1, code) M(2, code) M(3, code)
#define FOR_PAIRS_OF(M, code) M(1, 2, code) M(2, 3, code)
#elif STACK_REGISTERS == 4
#define FOR_LEVELS(M) M(1) M(2) M(3) M(4)
#define FOR_LEVELS_OF(M, code) M(1, code) M(2, code) M(3, code) M(4, code)
#define FOR_PAIRS_OF(M, code) M(1, 2, code) M(2, 3, code) M(3, 4, code)
#else
#error "STACK_REGISTERS is 2, 3 or 4"
#endif

// The forms of a function: how its operands are found. The handlers of a function are numbered in this order.
#define ON_ACCUMULATOR 0
#define ON_INPUT 1
#define WITH_INPUT 0
#define INPUT_WITH 1
#define TWO_INPUTS 2
#define WITH_CONSTANT 3
#define CONSTANT_WITH 4
#define WITH_DEEP 5
#define DEEP_WITH 6
#define WITH_LEVEL(level) (5 + 2 * (level))
#define LEVEL_WITH(level) (6 + 2 * (level))
// Inputs after the accumulator was saved in a level.
#define SAVING_THEN_INPUT(level) (ON_INPUT + (level))
#define SAVING_THEN_TWO(level) (LEVEL_WITH(STACK_REGISTERS) + (level))
// Of logic alone: a function of two inputs as the second operand.
#define WITH_TWO(second) (SAVING_THEN_TWO(STACK_REGISTERS) + 1 + (second))
#if defined(BOOLEAN_WORDS)
#define LAST_BINARY_FORM WITH_TWO(3)
#else
#define LAST_BINARY_FORM SAVING_THEN_TWO(STACK_REGISTERS)
#endif
#define DEEP_PAIR 0
#define LEVEL_PAIR(level) (level)
#define FIRST_HANDLER(code) JOIN(first_handler_, code)
#define HANDLER(form, code) (FIRST_HANDLER(code) + (form))
#define NUMBER(code, last_form) FIRST_HANDLER(code), JOIN(last_handler_, code) = HANDLER(last_form, code),
#define NUMBER_UNARY(code, expression) NUMBER(code, SAVING_THEN_INPUT(STACK_REGISTERS))
#define NUMBER_BINARY(code, expression) NUMBER(code, LAST_BINARY_FORM)
#define NUMBER_TERNARY(code, expression) NUMBER(code, LEVEL_PAIR(STACK_REGISTERS - 1))
#define SAVE_IN_LEVEL(level) (SAVE_IN_DEEP + (level))
enum Handler {
  FINISH,
  READ_CASES,
  LOAD_INPUT,
  LOAD_CONSTANT,
  SAVE_IN_DEEP,
  LAST_SAVE = SAVE_IN_LEVEL(STACK_REGISTERS),
  FUNCTIONS(NUMBER_UNARY, NUMBER_BINARY, NUMBER_TERNARY)
};

#define DECLARE_LEVEL(level) Row below##level;
#define SAVE_CASE(level)     \
  case SAVE_IN_LEVEL(level): \
    below##level = copy(x);  \
    break;
#define FORM(form, code, ...)         \
  case HANDLER(form, code):           \
    x = OnRow<code>::of(__VA_ARGS__); \
    break;
// The forms of a function that share its code: they only bring the operands to x and y.
#define SHARED_FORM(form, code, place, ...) \
  case HANDLER(form, code):                 \
    y = copy(__VA_ARGS__);                  \
    goto JOIN(place, code);
#define SAVING_THEN_INPUT_FORM(level, code)    \
  case HANDLER(SAVING_THEN_INPUT(level), code): \
    below##level = copy(x);                     \
    goto JOIN(on_input_, code);
#define UNARY_FORMS(code, expression)                          \
  FOR_LEVELS_OF(SAVING_THEN_INPUT_FORM, code)                  \
  JOIN(on_input_, code):                                       \
  case HANDLER(ON_INPUT, code):                                \
    x = copy(INPUT(operand));                                  \
    FORM(ON_ACCUMULATOR, code, x)

#define LEVEL_FORMS(level, code)                 \
  FORM(WITH_LEVEL(level), code, x, below##level) \
  FORM(LEVEL_WITH(level), code, below##level, x) \
  case HANDLER(SAVING_THEN_TWO(level), code):    \
    below##level = copy(x);                      \
    x = OnRow<code>::of(INPUT(operand & 0xffff), INPUT(operand >> 16)); \
    break;
#define FORMS(code)                                                     \
  FORM(WITH_INPUT, code, x, INPUT(operand))                             \
  FORM(INPUT_WITH, code, INPUT(operand), x)                             \
  FORM(TWO_INPUTS, code, INPUT(operand & 0xffff), INPUT(operand >> 16)) \
  FORM(WITH_CONSTANT, code, x, all(VALUE_OF(operand)))                  \
  FORM(CONSTANT_WITH, code, all(VALUE_OF(operand)), x)                  \
  FORM(WITH_DEEP, code, x, deep[here(operand)])                         \
  FORM(DEEP_WITH, code, deep[here(operand)], x)                         \
  FOR_LEVELS_OF(LEVEL_FORMS, code)
#define SHARED_LEVEL_FORMS(level, code)                          \
  SHARED_FORM(WITH_LEVEL(level), code, with_y_, below##level) \
  SHARED_FORM(LEVEL_WITH(level), code, y_with_, below##level) \
  case HANDLER(SAVING_THEN_TWO(level), code):                 \
    below##level = copy(x);                                   \
    goto JOIN(two_inputs_, code);
#define SHARED_FORMS(code)                                                   \
  FOR_LEVELS_OF(SHARED_LEVEL_FORMS, code)                                    \
  SHARED_FORM(WITH_DEEP, code, with_y_, deep[here(operand)])                 \
  SHARED_FORM(DEEP_WITH, code, y_with_, deep[here(operand)])                 \
  SHARED_FORM(WITH_CONSTANT, code, with_y_, all(VALUE_OF(operand)))          \
  SHARED_FORM(CONSTANT_WITH, code, y_with_, all(VALUE_OF(operand)))          \
  SHARED_FORM(WITH_INPUT, code, with_y_, INPUT(operand))                     \
  JOIN(two_inputs_, code):                                                   \
  case HANDLER(TWO_INPUTS, code):                                            \
    x = copy(INPUT(operand >> 16));                                          \
    operand &= 0xffff;                                                       \
  SHARED_FORM(INPUT_WITH, code, y_with_, INPUT(operand))                     \
  JOIN(with_y_, code):                                                       \
  x = OnRow<code>::of(x, y);                                                 \
  break;                                                                     \
  JOIN(y_with_, code):                                                       \
  x = OnRow<code>::of(y, x);                                                 \
  break;
#define FORMS_2(code) FORMS(code)
#define FORMS_3(code) FORMS(code)
#define FORMS_4(code) FORMS(code)
#if defined(MATH_FAST)
#define FORMS_5(code) FORMS(code)
#else
#define FORMS_5(code) SHARED_FORMS(code)
#endif
#define FORMS_10(code) FORMS(code)
#define FORMS_11(code) FORMS(code)
#define FORMS_12(code) FORMS(code)
#define FORMS_13(code) FORMS(code)
#define FORMS_14(code) FORMS(code)
#define FORMS_16(code) FORMS(code)
#define FORMS_17(code) FORMS(code)
#define BINARY_FORMS(code, expression) JOIN(FORMS_, code)(code) LOGIC_FORMS(code)

#if defined(BOOLEAN_WORDS)
#define WITH_TWO_FORM(which, code, second)                                                             \
  case HANDLER(WITH_TWO(which), code):                                                                 \
    x = logic_of_three<code, second>(x, INPUT(operand & 0xffff), INPUT(operand >> 16));                \
    break;
#define LOGIC_FORMS(code)                                                                      \
  WITH_TWO_FORM(0, code, LOGICAL_AND) WITH_TWO_FORM(1, code, LOGICAL_OR)                       \
  WITH_TWO_FORM(2, code, LOGICAL_NAND) WITH_TWO_FORM(3, code, LOGICAL_NOR)
#else
#define LOGIC_FORMS(code)
#endif

#define PAIR_FORM(level, next, code) FORM(LEVEL_PAIR(level), code, x, below##level, below##next)
#define TERNARY_FORMS(code, expression)                                \
  FORM(DEEP_PAIR, code, x, deep[here(operand)], deep[here(operand) + 1]) \
  FOR_PAIRS_OF(PAIR_FORM, code)

extern "C" __global__ void accumulator(const uint2* progs, const VALUE* inputs, const VALUE* outputs, float* results,
                                       int maxprogsize, int numcases) {
  extern __shared__ uint2 prog[];
  for (int i = threadIdx.x; i < maxprogsize / 2; i += blockDim.x) prog[i] = progs[blockIdx.x * (maxprogsize / 2) + i];
  __syncthreads();
  Row deep[DEEP_LEVELS];
  float sum = 0.0f;
  unsigned pitch_bytes = 4 * numcases;
  int pass = blockDim.x * STACKDIM;
  for (int base = blockIdx.y * pass; base < numcases; base += gridDim.y * pass) {
    int first = base + threadIdx.x / 32 * (32 * STACKDIM) + threadIdx.x % 32 * 4;
    const VALUE* mine = inputs + first;
    Row x, y, only_input;
    FOR_LEVELS(DECLARE_LEVEL)
    const uint2* next = prog;
    while (true) {
      unsigned operand = next->y;
      unsigned handler = dispatched(next->x);
      next++;
      switch (handler) {
        FUNCTIONS(UNARY_FORMS, BINARY_FORMS, TERNARY_FORMS)
        FOR_LEVELS(SAVE_CASE)
        case SAVE_IN_DEEP:
          deep[here(operand)] = x;
          break;
        case LOAD_INPUT:
          x = copy(INPUT(operand));
          break;
        case LOAD_CONSTANT:
          x = copy(all(VALUE_OF(operand)));
          break;
        case READ_CASES:
          only_input = read_row(mine);
          break;
        case FINISH:
          goto finished;
        default:
          __builtin_unreachable();
      }
    }
  finished:
    Row expected = read_row(outputs + first);
    FOR_ROW sum += error(x.of[j], expected.of[j]);
  }
  add_to_block(sum, results);
}
