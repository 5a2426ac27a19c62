// BlockGP with a linear (LGP) program whose lowest STACK_REGISTERS (1 to 4) stack levels are registers.
// Models: Chitty 2016, section 6.2: Listing 2 with the vector types of Listing 3 and a switch over the stack pointer for
//   every operand from the stack and every result (Listings 4 and 5). Levels above live in local memory.
// Leaves out: padding, as in rpn.cu. Deviations: those of operands.cuh and rpn.cu.
// Sources: Chitty 2016, Listings 2 to 5.
#include "functions.cuh"
#include "vectors.cuh"
#include "operands.cuh"

#if STACK_REGISTERS == 1
#define FOR_LEVELS(M) M(0)
#elif STACK_REGISTERS == 2
#define FOR_LEVELS(M) M(0) M(1)
#elif STACK_REGISTERS == 3
#define FOR_LEVELS(M) M(0) M(1) M(2)
#elif STACK_REGISTERS == 4
#define FOR_LEVELS(M) M(0) M(1) M(2) M(3)
#else
#error "STACK_REGISTERS is 1, 2, 3 or 4"
#endif

// What the registers of the paper's kernels were, the occupancy steps of Table 10 tell (docs/calibration.md). Today's compiler meets them
// where the cases of a switch are kept apart, which it would otherwise join into moves, and where the result leaves the stack as an operand
// does. The multiplexer with four levels still lacks a register; told of blocks of 1024 threads, the compiler does not save it.
#if __CUDA_ARCH__ < 500
#define END_CASE asm volatile("");
#define TAKE_RESULT(row) \
  sp--;                  \
  POP(row)
#else
#define END_CASE
#define TAKE_RESULT(row) row = stack_register0;
#endif
#if __CUDA_ARCH__ < 500 && defined(BOOLEAN_WORDS) && STACK_REGISTERS == 4
#define BLOCKS_OF __launch_bounds__(1024)
#else
#define BLOCKS_OF
#endif

#define DECLARE_LEVEL(level) VECTOR stack_register##level;
#define POP_LEVEL(level)          \
  case level:                     \
    row_ = stack_register##level; \
    END_CASE                      \
    break;
#define PUSH_LEVEL(level)      \
  case level:                  \
    stack_register##level = x; \
    END_CASE                   \
    break;

#define POP(row)            \
  {                         \
    VECTOR& row_ = row;     \
    switch (sp) {           \
      FOR_LEVELS(POP_LEVEL) \
      default:              \
        row_ = stack[sp];   \
        END_CASE            \
    }                       \
  }
#define PUSH               \
  switch (sp) {            \
    FOR_LEVELS(PUSH_LEVEL) \
    default:               \
      stack[sp] = x;       \
      END_CASE             \
  }                        \
  sp++;

extern "C" __global__ void BLOCKS_OF lgp_registers(const WORD* progs, VALUE* inputs, VALUE* outputs, float* results,
                                                   int maxprogsize, int numcases) {
  extern __shared__ WORD prog[];
  COPY_PROGRAM
  VECTOR stack[50];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < numcases; i += blockDim.x * STACKDIM) {
    int ip = 0;
    int sp = 0;
    VECTOR x, y, z;
    FOR_LEVELS(DECLARE_LEVEL)
    while (prog[ip] != END) {
      if (false) {
      }
      FUNCTIONS(LGP_UNARY, LGP_BINARY, LGP_TERNARY)
    }
    VECTOR result;
    TAKE_RESULT(result)
    ADD_ERRORS
  }
  results[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
