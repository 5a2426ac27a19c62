// Population-parallel GP: postfix programs with jumps, interpreted by a block of threads (BlockGP) or by one thread (ThreadGP).
// Models: Robilliard et al. 2008, Table 1: a loop that fetches the next instruction from memory, a switch that executes it, a stack
//   that is an array of the thread. If, IFLTE and the short-circuit And and Or jump over what need not be evaluated. Trees lie one
//   behind the other in memory, after a table of where each begins. BlockGP: one tree per block, whose threads share the fitness cases
//   and add up their errors; ThreadGP: a tree per thread, all cases.
// Leaves out: the translation of trees to this code, which the paper does on the host.
// Deviations: the paper's text does not say how instructions are encoded: here a word has the instruction in its low byte and the input or
//   jump target above, and a constant's value follows in the next word. X and Y are read once per case; the multiplexers' inputs are
//   read where the program names them. The size of the block and the sum over its threads (a tree in shared memory) are ours. ThreadGP
//   is the authors' later name (2009) for the other layout. PROGRAM_SHARED copies the tree into shared memory first, as they did in 2009.
// Units: one value is one fitness case; results are the sum of absolute errors, of wrong bits, or of wrong signs.
// Sources: Robilliard et al. 2008, sections 3 and 4, Table 1; its abstract of 2009 (Genet Program Evolvable Mach 10) for fast memory.
#define RETURN 0
#define CONSTANT 1
#define INPUT_X 2
#define INPUT_Y 3
#define ADD 4
#define SUB 5
#define MUL 6
#define DIV 7
#define SINE 8
#define COSINE 9
#define EXPONENTIAL 10
#define LOGARITHM 11
#define INPUT 12
#define NOT 13
// Jumps and leaves what the stack holds: the end of a branch.
#define JUMP 14
// Takes the condition and jumps if it is false.
#define JUMP_IF_FALSE 15
// Jumps if the top is false (true) and leaves it as the result; takes it otherwise.
#define JUMP_AND 16
#define JUMP_OR 17
// Takes two values and jumps unless the first is less.
#define JUMP_UNLESS_LESS 18

#define LEVELS 64

#if defined(PROBLEM_MULTIPLEXER)
typedef int VALUE;
#elif defined(PROBLEM_REGRESSION) || defined(PROBLEM_SPIRALS)
typedef float VALUE;
#else
#error "define PROBLEM_REGRESSION, PROBLEM_MULTIPLEXER or PROBLEM_SPIRALS"
#endif

#define OPCODE(word) ((word) & 255)
#define ARGUMENT(word) ((word) >> 8)

static __device__ __forceinline__ VALUE interpret(const unsigned* program, const VALUE* inputs, const int n_cases, const int at) {
  VALUE stack[LEVELS];
#if !defined(PROBLEM_MULTIPLEXER)
  const VALUE x = inputs[at];
#endif
#if defined(PROBLEM_SPIRALS)
  const VALUE y = inputs[n_cases + at];
#endif
  int sp = 0;
  unsigned pc = 0;
  unsigned word;
  while (OPCODE(word = program[pc]) != RETURN) {
    switch (OPCODE(word)) {
#if defined(PROBLEM_MULTIPLEXER)
      case INPUT: stack[sp++] = inputs[ARGUMENT(word) * n_cases + at]; break;
      case NOT: stack[sp - 1] = !stack[sp - 1]; break;
      case JUMP_AND:
        if (!stack[sp - 1]) {
          pc = ARGUMENT(word);
          continue;
        }
        sp--;
        break;
      case JUMP_OR:
        if (stack[sp - 1]) {
          pc = ARGUMENT(word);
          continue;
        }
        sp--;
        break;
      case JUMP_IF_FALSE:
        sp--;
        if (!stack[sp]) {
          pc = ARGUMENT(word);
          continue;
        }
        break;
#else
      case CONSTANT: stack[sp++] = __int_as_float(program[++pc]); break;
      case INPUT_X: stack[sp++] = x; break;
      case ADD: stack[sp - 2] = stack[sp - 2] + stack[sp - 1]; sp--; break;
      case SUB: stack[sp - 2] = stack[sp - 2] - stack[sp - 1]; sp--; break;
      case MUL: stack[sp - 2] = stack[sp - 2] * stack[sp - 1]; sp--; break;
      case DIV: stack[sp - 2] = stack[sp - 1] == 0.0f ? 1.0f : stack[sp - 2] / stack[sp - 1]; sp--; break;
      case SINE: stack[sp - 1] = sinf(stack[sp - 1]); break;
      case COSINE: stack[sp - 1] = cosf(stack[sp - 1]); break;
#endif
#if defined(PROBLEM_REGRESSION)
      case EXPONENTIAL: stack[sp - 1] = expf(stack[sp - 1]); break;
      case LOGARITHM: stack[sp - 1] = stack[sp - 1] == 0.0f ? 0.0f : logf(fabsf(stack[sp - 1])); break;
#endif
#if defined(PROBLEM_SPIRALS)
      case INPUT_Y: stack[sp++] = y; break;
      case JUMP_UNLESS_LESS:
        sp -= 2;
        if (!(stack[sp] < stack[sp + 1])) {
          pc = ARGUMENT(word);
          continue;
        }
        break;
#endif
#if !defined(PROBLEM_REGRESSION)
      case JUMP: pc = ARGUMENT(word); continue;
#endif
    }
    pc++;
  }
  return stack[0];
}

static __device__ __forceinline__ float error(VALUE value, VALUE expected) {
#if defined(PROBLEM_REGRESSION)
  return fabsf(value - expected);
#elif defined(PROBLEM_MULTIPLEXER)
  return value == expected ? 0.0f : 1.0f;
#else
  // 0 counts as positive.
  return (value >= 0.0f) == (expected >= 0.0f) ? 0.0f : 1.0f;
#endif
}

static __device__ __forceinline__ float evaluate(const unsigned* program, const VALUE* inputs, const VALUE* expected,
                                                 const int n_cases, const int first, const int step) {
  float sum = 0.0f;
  for (int at = first; at < n_cases; at += step) sum += error(interpret(program, inputs, n_cases, at), expected[at]);
  return sum;
}

extern "C" __global__ void robilliard(const unsigned* programs, const VALUE* inputs, const VALUE* expected, float* results,
                                      int n_programs, int n_cases) {
#if defined(SCHEME_THREADGP)
  const int tree = blockIdx.x * blockDim.x + threadIdx.x;
  if (tree < n_programs) results[tree] = evaluate(programs + programs[tree], inputs, expected, n_cases, 0, 1);
#elif defined(SCHEME_BLOCKGP)
  extern __shared__ unsigned shared[];
  const int tree = blockIdx.x;
  const unsigned* program = programs + programs[tree];
  float* sums = (float*)shared;
#if defined(PROGRAM_SHARED)
  // The tree behind the sums.
  const unsigned words = programs[tree + 1] - programs[tree];
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) shared[blockDim.x + i] = program[i];
  program = shared + blockDim.x;
  __syncthreads();
#endif
  sums[threadIdx.x] = evaluate(program, inputs, expected, n_cases, threadIdx.x, blockDim.x);
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) results[tree] = sums[0];
#else
#error "define SCHEME_BLOCKGP or SCHEME_THREADGP"
#endif
}
