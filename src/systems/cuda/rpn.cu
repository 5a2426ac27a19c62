// BlockGP with a postfix program and a two-dimensional stack (STACKDIM 1: the classic interpreter).
// Models: Chitty 2016, Listing 1, literally: the program copied into shared memory by every thread, an if/else
//   compare chain, stack[50][STACKDIM] in local memory, one program per block, cases strided by the block size.
// Leaves out: padding; `numcases` is both the loop bound and the pitch of an input row, so a caller that wants exact
//   sums pads the rows to a multiple of blockDim.x * STACKDIM.
// Deviations: `progs` are WORDs, so that real-valued constants survive (the listing: int); a terminal is followed by
//   its operand (the listing leaves out how an input's index is found); the binary operators write to stack[sp - 1]
//   (the listing writes to stack[sp], one too high); blockDim.x where the listing has a macro.
// Sources: Chitty 2016, Listing 1 and section 4.1.
#include "functions.cuh"

extern "C" __global__ void rpn(const WORD* progs, VALUE* inputs, VALUE* outputs, float* results, int maxprogsize,
                               int numcases) {
  extern __shared__ WORD prog[];
  for (int i = 0; i < maxprogsize; i++) {
    prog[i] = progs[blockIdx.x * maxprogsize + i];
    if (prog[i] == END) break;
  }
  VALUE stack[50][STACKDIM];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < numcases; i += blockDim.x * STACKDIM) {
    int ip = 0;
    int sp = 0;
    while (prog[ip] != END) {
      if (prog[ip] == CONST_VALUE) {
        ip++;
        STACK_LOOP for (int j = 0; j < STACKDIM; j++) stack[sp][j] = AS_VALUE(prog[ip]);
        sp++;
      } else if (prog[ip] == DATA_INPUT) {
        ip++;
        INPUT_LOOP for (int j = 0; j < STACKDIM; j++) {
          int p = i + j * blockDim.x;
          stack[sp][j] = inputs[AS_INDEX(prog[ip]) * numcases + p];
        }
        sp++;
      }
#define UNARY(code, expression)                      \
  else if (prog[ip] == code) {                       \
    STACK_LOOP for (int j = 0; j < STACKDIM; j++) {  \
      VALUE a = stack[sp - 1][j];                    \
      stack[sp - 1][j] = (expression);               \
    }                                                \
  }
#define BINARY(code, expression)                     \
  else if (prog[ip] == code) {                       \
    sp--;                                            \
    STACK_LOOP for (int j = 0; j < STACKDIM; j++) {  \
      VALUE a = stack[sp - 1][j];                    \
      VALUE b = stack[sp][j];                        \
      stack[sp - 1][j] = (expression);               \
    }                                                \
  }
#define TERNARY(code, expression)                    \
  else if (prog[ip] == code) {                       \
    sp -= 2;                                         \
    STACK_LOOP for (int j = 0; j < STACKDIM; j++) {  \
      VALUE a = stack[sp - 1][j];                    \
      VALUE b = stack[sp][j];                        \
      VALUE c = stack[sp + 1][j];                    \
      stack[sp - 1][j] = (expression);               \
    }                                                \
  }
      FUNCTIONS(UNARY, BINARY, TERNARY)
      ip++;
    }
    STACK_LOOP for (int j = 0; j < STACKDIM; j++) sum += error(stack[0][j], outputs[i + j * blockDim.x]);
  }
  results[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
