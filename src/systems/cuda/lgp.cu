// BlockGP with a linear (LGP) program: operands gathered into registers, results on a two-dimensional stack.
// Models: Chitty 2016, Listing 2, for any size of the second dimension: x, y and z are STACKDIM registers each.
// Leaves out: padding, as in rpn.cu. Deviations: those of operands.cuh and rpn.cu.
// Sources: Chitty 2016, Listing 2 and section 5.
#include "functions.cuh"
#include "operands.cuh"

#define ROW STACK_LOOP for (int j = 0; j < STACKDIM; j++)
#define POP(row) ROW row[j] = stack[sp][j];
#define READ_INPUT(row, p) INPUT_LOOP for (int j = 0; j < STACKDIM; j++) row[j] = inputs[p + j * blockDim.x];
#define READ_CONSTANT(row, constant) ROW row[j] = (constant);
#define PUSH                    \
  ROW stack[sp][j] = x[j];      \
  sp++;
#define APPLY_UNARY(code, expression) \
  ROW {                               \
    VALUE a = x[j];                   \
    x[j] = (expression);              \
  }
#define APPLY_BINARY(code, expression) \
  ROW {                                \
    VALUE a = x[j], b = y[j];          \
    x[j] = (expression);               \
  }
#define APPLY_TERNARY(code, expression)  \
  ROW {                                  \
    VALUE a = x[j], b = y[j], c = z[j];  \
    x[j] = (expression);                 \
  }

extern "C" __global__ void lgp(const WORD* progs, VALUE* inputs, VALUE* outputs, float* results, int maxprogsize,
                               int numcases) {
  extern __shared__ WORD prog[];
  COPY_PROGRAM
  VALUE stack[50][STACKDIM];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < numcases; i += blockDim.x * STACKDIM) {
    int ip = 0;
    int sp = 0;
    VALUE x[STACKDIM], y[STACKDIM], z[STACKDIM];
    while (prog[ip] != END) {
      if (false) {
      }
      FUNCTIONS(LGP_UNARY, LGP_BINARY, LGP_TERNARY)
    }
    ROW sum += error(stack[0][j], outputs[i + j * blockDim.x]);
  }
  results[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
