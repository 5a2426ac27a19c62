// BlockGP with a linear (LGP) program whose stack and registers are float2, float3 or float4.
// Models: Chitty 2016, section 6.1: Listing 2 with the types and operators of Listing 3.
// Leaves out: padding, as in rpn.cu. Deviations: those of operands.cuh and rpn.cu.
// Sources: Chitty 2016, Listings 2 and 3.
#include "functions.cuh"
#include "vectors.cuh"
#include "operands.cuh"

#define POP(row) row = stack[sp];
#define PUSH     \
  stack[sp] = x; \
  sp++;

extern "C" __global__ void lgp_vector(const WORD* progs, VALUE* inputs, VALUE* outputs, float* results,
                                      int maxprogsize, int numcases) {
  extern __shared__ WORD prog[];
  COPY_PROGRAM
  VECTOR stack[50];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < numcases; i += blockDim.x * STACKDIM) {
    int ip = 0;
    int sp = 0;
    VECTOR x, y, z;
    while (prog[ip] != END) {
      if (false) {
      }
      FUNCTIONS(LGP_UNARY, LGP_BINARY, LGP_TERNARY)
    }
    VECTOR result = stack[0];
    ADD_ERRORS
  }
  results[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
