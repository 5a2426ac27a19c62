// Sub-machine-code GP on reverse Polish expressions: one word of 32 Boolean cases per run, the stack in shared memory,
//   PARALLEL threads per program, the programs of neighbouring threads beside each other in a block.
// Models: Langdon 2010, Figure 4, literally: programs of one byte per node in global memory, read by every thread whenever it
//   gets to a node; stack(sp) = shared[sp * blockDim.x + threadIdx.x]; the first five inputs are patterns in constant memory, the
//   others 32 zeros or ones by a bit of the test's number; ifs for terminals, a switch for functions.
//   With PROGRAM_IN_CONSTANT all threads run one program, which lies in constant memory: section 6's check of a solution.
// Leaves out: the random numbers that draw tests on the device: they come as a table, the same for all programs.
// Deviations: Figure 4 is a fragment without the kernel around it: the loop over tests, the comparison with the expected word and
//   the sum over a program's threads (a tree in the stack's place) are ours. In constant memory a node is a word, not a byte.
// Units: one unsigned is 32 Boolean cases; results are wrong cases.
// Sources: Langdon 2010, Figure 4 and sections 3, 6 and 7.
#define OPNOP 0
#define OPAND 1
#define OPOR 2
#define OPNAND 3
#define OPNOR 4
#define FIRST_INPUT 8
// Inputs from the sixth on: their bits in a test's number.
#define INPUT_D5 16

// Three of the eight are never asked for: the fragment tests for a group of eight.
#define PATTERNS {0xaaaaaaaau, 0xccccccccu, 0xf0f0f0f0u, 0xff00ff00u, 0xffff0000u, 0u, 0u, 0u}
#ifdef PROGRAM_IN_CONSTANT
// One behind the other, so that whoever launches knows where the program lies: 32 bytes behind the patterns.
__constant__ struct {
  unsigned train[8];
  unsigned program[1024];
} constants = {PATTERNS, {OPNOP}};
#define train constants.train
#define node(at) constants.program[PC]
#else
__constant__ unsigned train[8] = PATTERNS;
#define node(at) Pop[at]
#endif

#define stack(sp) shared_array[(sp) * blockDim.x + threadIdx.x]
#define push(x)    \
  {                \
    stack(SP) = x; \
    SP++;          \
  }

extern __shared__ unsigned shared_array[];

static __device__ __forceinline__ unsigned runprog(const unsigned char* Pop, const unsigned prog, const unsigned test32,
                                                   const int LEN) {
  int SP = 0;
  for (unsigned PC = 0;; PC++) {
    const int opcode = node(PC + (prog * LEN));
    if (opcode == OPNOP) break;
    const int r = opcode - FIRST_INPUT;
    if ((r & (~7)) == 0) {
      push(train[r]);
    } else {
      const int r5 = opcode - INPUT_D5;
      if ((r5 & (~31)) == 0) {
        if (test32 & (1u << r5)) {
          push(0xffffffffu);
        } else {
          push(0u);
        }
      } else {
        const unsigned sp1 = stack(SP - 1);
        const unsigned sp2 = stack(SP - 2);
        SP -= 2;
        switch (opcode) {
          case OPAND: push(sp1 & sp2); break;
          case OPOR: push(sp1 | sp2); break;
          case OPNAND: push(~(sp1 & sp2)); break;
          case OPNOR: push(~(sp1 | sp2)); break;
        }
      }
    }
  }
  return stack(SP - 1);
}

extern "C" __global__ void submachine(const unsigned char* progs, const unsigned* tests, const unsigned* expected,
                                      unsigned* results, int len, int n_tests) {
  const unsigned prog = (blockIdx.x * blockDim.x + threadIdx.x) / PARALLEL;
  unsigned wrong = 0;
  for (int test = threadIdx.x % PARALLEL; test < n_tests; test += PARALLEL) {
    wrong += __popc(runprog(progs, prog, tests[test], len) ^ expected[test]);
  }
  // The threads of a program add up what they found; each has its own column of the stack.
  shared_array[threadIdx.x] = wrong;
  for (unsigned half = PARALLEL / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x % PARALLEL < half) shared_array[threadIdx.x] += shared_array[threadIdx.x + half];
  }
  if (threadIdx.x % PARALLEL == 0) results[prog] = shared_array[threadIdx.x];
}
