// Gathering the operands of an LGP instruction, and the loops around it, for any row type.
// Models: Chitty 2016, Listing 2: every operand is the top of the stack, a fitness-case input or a constant.
// Leaves out: what a row is (ROW) and where the stack lives (POP, PUSH): the including kernel defines these.
// Deviations: operands are gathered from the last to the first, so that two stack operands are popped in the right order
//   (the listing pops the first operand first, which would swap them); the program copy ends at END as in Listing 1.
// Sources: Chitty 2016, Listing 2.
#pragma once

// Reads one operand into `row`.
#define GATHER(row)                                     \
  {                                                     \
    if (prog[ip] == STACK_VALUE) {                      \
      sp--;                                             \
      POP(row)                                          \
    } else if (prog[ip] == DATA_INPUT) {                \
      ip++;                                             \
      int p = AS_INDEX(prog[ip]) * numcases + i;        \
      READ_INPUT(row, p)                                \
    } else if (prog[ip] == CONST_VALUE) {               \
      ip++;                                             \
      READ_CONSTANT(row, AS_VALUE(prog[ip]))            \
    }                                                   \
    ip++;                                               \
  }

#define LGP_UNARY(code, expression) \
  else if (prog[ip] == code) {      \
    ip++;                           \
    GATHER(x)                       \
    APPLY_UNARY(code, expression)   \
    PUSH                            \
  }
#define LGP_BINARY(code, expression) \
  else if (prog[ip] == code) {       \
    ip++;                            \
    GATHER(y)                        \
    GATHER(x)                        \
    APPLY_BINARY(code, expression)   \
    PUSH                             \
  }
#define LGP_TERNARY(code, expression) \
  else if (prog[ip] == code) {        \
    ip++;                             \
    GATHER(z)                         \
    GATHER(y)                         \
    GATHER(x)                         \
    APPLY_TERNARY(code, expression)   \
    PUSH                              \
  }

#define COPY_PROGRAM                                    \
  for (int i = 0; i < maxprogsize; i++) {               \
    prog[i] = progs[blockIdx.x * maxprogsize + i];      \
    if (prog[i] == END) break;                          \
  }
