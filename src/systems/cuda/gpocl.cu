// GPOCL's three ways to spread programs and fitness cases over a GPU, by -D: STRATEGY_FP (one program at a time, a case per
//   work-item), STRATEGY_PPPE (a program per work-item), STRATEGY_PPCU (a program per work-group, its work-items share the cases).
// Models: Augusto and Barbosa 2013, Algorithms 3 to 5 in CUDA C: prefix programs run from their last node to their first, the stack
//   in private memory (footnote 7's size), programs cached in local (shared) memory by FP and PPCU, inputs transposed (5.1.1), expected
//   outputs in constant memory where they fit (5.1.2: OUTPUTS_IN_CONSTANT), the switch cut to the function set in use (5.4), native
//   functions (5.3), reduction as in Figure 2.
// Leaves out: OpenCL. Deviations: a node is one word, 10 bits of code and 22 of value (the paper: "an array of integers encoding a
//   tree"); a constant is its 22 bits over 2^21, less 1; FP leaves one error per program and group to be added by the host, since groups
//   cannot wait for each other.
// Units: one float per case. Sources: as above; the function Interpreter of section 3.2.1.

// Words of a program: how many nodes follow, and they.
#define INDEX(node) ((node) >> 22)
#define VALUE(node) ((node) & 0x3fffffu)

// Codes of nodes.
#define VARIABLE 0
#define CONSTANT 1
#define FIRST_FUNCTION 2

#if defined(DOMAIN_REGRESSION)
#define STACK_LEVELS 25
#elif defined(DOMAIN_CLASSIFICATION)
#define STACK_LEVELS 34
#else
#error "define DOMAIN_REGRESSION or DOMAIN_CLASSIFICATION"
#endif

#define MOST_NODES 50

#if defined(OUTPUTS_IN_CONSTANT)
__constant__ float constant_outputs[16384];
#define EXPECTED(n) constant_outputs[n]
#else
#define EXPECTED(n) outputs[n]
#endif

#define POP (stack[--top])
#define PUSH(x)       \
  {                   \
    float value = x;  \
    stack[top++] = value; \
  }
#define UNARY(x)     \
  {                  \
    float a = POP;   \
    PUSH(x);         \
  }                  \
  break
#define BINARY(x)    \
  {                  \
    float a = POP;   \
    float b = POP;   \
    PUSH(x);         \
  }                  \
  break

// The value of a program on case `n`. `inputs`: one row of `stride` cases per variable.
static __device__ __forceinline__ float interpret(const unsigned* program, const int size, const float* inputs, const int stride,
                                                  const int n) {
  float stack[STACK_LEVELS];
  int top = 0;
  for (int op = size - 1; op >= 0; --op) {
    const unsigned node = program[op];
    switch (INDEX(node)) {
#if defined(DOMAIN_REGRESSION)
      case 2: BINARY(a + b);
      case 3: BINARY(a - b);
      case 4: BINARY(a * b);
      case 5: BINARY(__fdividef(a, b));
      case 6: UNARY(-a);
      case 7: UNARY(__sinf(a));
      case 8: UNARY(__cosf(a));
#else
      case 2: {
        float condition = POP;
        float then = POP;
        float otherwise = POP;
        PUSH(condition != 0.0f ? then : otherwise);
      } break;
      case 3: BINARY(a == b ? 1.0f : 0.0f);
      case 4: BINARY(a < b ? 1.0f : 0.0f);
      case 5: BINARY(a > b ? 1.0f : 0.0f);
      case 6: BINARY(a != 0.0f && b != 0.0f ? 1.0f : 0.0f);
      case 7: BINARY(a != 0.0f || b != 0.0f ? 1.0f : 0.0f);
      case 8: UNARY(a == 0.0f ? 1.0f : 0.0f);
#endif
      case CONSTANT: PUSH((float)VALUE(node) * (1.0f / 2097152.0f) - 1.0f); break;
      default: PUSH(inputs[VALUE(node) * stride + n]); break;
    }
  }
  return stack[top - 1];
}

#if !defined(STRATEGY_PPPE)
__shared__ unsigned cached[MOST_NODES];
extern __shared__ float partial[];

// All work-items copy a part of the program; returns its size.
static __device__ __forceinline__ int cache_program(const unsigned* program) {
  const int size = program[0];
  for (int i = threadIdx.x; i < size; i += blockDim.x) cached[i] = program[i + 1];
  __syncthreads();
  return size;
}

// Adds up what the work-items found; the first one holds the sum. `power`: the least power of two that is no smaller than the group.
static __device__ __forceinline__ void reduce(const float error, const int power) {
  partial[threadIdx.x] = error;
  for (int half = power / 2; half > 0; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half && threadIdx.x + half < blockDim.x) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
}
#endif

extern "C" __global__ void gpocl(const unsigned* programs, const float* inputs, const float* outputs, float* errors, int words, int cases,
                                 int stride, int population, int power) {
#if defined(STRATEGY_FP)
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  for (int p = 0; p < population; ++p) {
    const int size = cache_program(programs + p * words);
    float error = 0.0f;
    if (n < cases) error = fabsf(interpret(cached, size, inputs, stride, n) - EXPECTED(n));
    reduce(error, power);
    if (threadIdx.x == 0) errors[p * gridDim.x + blockIdx.x] = partial[0];
    // The next program takes the place of this one.
    __syncthreads();
  }
#elif defined(STRATEGY_PPPE)
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= population) return;
  const unsigned* program = programs + p * words;
  const int size = program[0];
  float error = 0.0f;
  for (int n = 0; n < cases; ++n) error += fabsf(interpret(program + 1, size, inputs, stride, n) - EXPECTED(n));
  errors[p] = error;
#elif defined(STRATEGY_PPCU)
  const int size = cache_program(programs + blockIdx.x * words);
  float error = 0.0f;
  for (int n = threadIdx.x; n < cases; n += blockDim.x) {
    error += fabsf(interpret(cached, size, inputs, stride, n) - EXPECTED(n));
  }
  reduce(error, power);
  if (threadIdx.x == 0) errors[blockIdx.x] = partial[0];
#else
#error "define STRATEGY_FP, STRATEGY_PPPE or STRATEGY_PPCU"
#endif
}
