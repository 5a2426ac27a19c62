// GPOCL (Augusto and Barbosa 2013): the tree interpreter and its three ways of spreading work over a GPU, in OpenCL C.
//
// Models: section 3.4's algorithms 3 (fitness-parallel), 4 (a program per processing element) and 5 (a program per compute unit)
//   with section 5's optimizations: inputs transposed, expected outputs in constant memory, the program and the partial errors in
//   local memory where a work-group shares one program, native functions, a switch cut to the functions in use.
// Leaves out: the paper's compile-time sizes. Sizes are arguments, so that one listing serves every size.
// Compile with -D STRATEGY_FP | STRATEGY_PPPE | STRATEGY_PPCU, -D REGRESSION | CLASSIFICATION, -D STACK=words, and for a stack
//   in memory instead of registers -D STACK_IN_MEMORY.
// Programs: one word of size, then up to 50 nodes in prefix order: 3 bits arity, 7 bits kind, 22 bits value. Kinds are numbered as
//   in a table of all functions, of which a run uses some; what is none of them is a variable (the interpreter's "otherwise").

#define TREE 50
#define KIND(node) (((node) >> 22) & 127u)
#define VALUE(node) ((node) & 0x3fffffu)
// An ephemeral constant: 0 to 16 in 22 bits.
#define CONSTANT(node) ((float)VALUE(node) * (16.0f / 4194303.0f))

#ifdef STACK_IN_MEMORY
// One word of every work-item side by side, as scratch memory is laid out: 65,536 of them.
#define SLOT(level) slots[(uint)(level) << 16]
#else
#define SLOT(level) stack[level]
#endif
#define TOP SLOT(top)
#define SECOND SLOT(top - 1)
#define THIRD SLOT(top - 2)

#define PUSH(value) { float pushed = (value); ++top; TOP = pushed; break; }
#define UNARY(value) { float result = (value); TOP = result; break; }
#define BINARY(value) { float result = (value); --top; TOP = result; break; }
#define TERNARY(value) { float result = (value); top -= 2; TOP = result; break; }

#ifdef REGRESSION
#define FUNCTIONS                                  \
    case 3: BINARY(TOP + SECOND)                   \
    case 5: BINARY(native_divide(TOP, SECOND))     \
    case 15: BINARY(TOP - SECOND)                  \
    case 16: BINARY(TOP * SECOND)                  \
    case 23: UNARY(native_cos(TOP))                \
    case 34: UNARY(-TOP)                           \
    case 37: UNARY(native_sin(TOP))
#endif
#ifdef CLASSIFICATION
#define FUNCTIONS                                  \
    case 2: TERNARY((int)TOP ? SECOND : THIRD)     \
    case 4: BINARY((float)(TOP && SECOND))         \
    case 6: BINARY((float)(TOP == SECOND))         \
    case 8: BINARY((float)(TOP > SECOND))          \
    case 10: BINARY((float)(TOP < SECOND))         \
    case 18: BINARY((float)(TOP || SECOND))        \
    case 35: UNARY((float)!(int)TOP)
#endif

// Evaluates `program` on case `n` and leaves its value in `value`.
#define INTERPRET(value)                                          \
    int top = -1;                                                 \
    _Pragma("unroll 1") for (int op = size; op-- > 0;) {          \
        uint node = program[op];                                  \
        switch (KIND(node)) {                                     \
            FUNCTIONS                                             \
            case 0: PUSH(CONSTANT(node))                          \
            case 46: PUSH(-1.0f)                                  \
            case 50: PUSH(1.0f)                                   \
            default: PUSH(x[VALUE(node) * dataset + n])           \
        }                                                         \
    }                                                             \
    float value = TOP;

// The sum over a work-group of what its work-items left in `partial`.
#define REDUCE                                                                \
    _Pragma("unroll 1") for (uint s = half_size; s > 0; s >>= 1) {            \
        barrier(CLK_LOCAL_MEM_FENCE);                                         \
        if (local_id < s && local_id + s < local_size)                        \
            partial[local_id] += partial[local_id + s];                       \
    }

// `half_size`: half of the work-group's size rounded up to a power of two.
__kernel void evaluate(__global const uint *population, __global const float *x, __constant float *y, __global float *errors,
                       uint programs, uint dataset, uint chunks, uint half_size, __global float *scratch) {
    const uint local_id = get_local_id(0), group = get_group_id(0), local_size = get_local_size(0);
#ifdef STACK_IN_MEMORY
    __global float *slots = scratch + ((group * local_size + local_id) & 0xffff);
#else
    float stack[STACK];
#endif
#ifdef STRATEGY_PPPE
    const uint p = group * local_size + local_id;
    if (p < programs) {
        const uint size = population[(TREE + 1) * p];
        __global const uint *program = population + (TREE + 1) * p + 1;
        float error = 0.0f;
        _Pragma("unroll 1") for (uint n = 0; n < dataset; ++n) {
            INTERPRET(value)
            error += fabs(value - y[n]);
        }
        errors[p] = error;
    }
#else
    __local uint program[TREE];
    __local float partial[256];
#ifdef STRATEGY_FP
    const uint n = group * local_size + local_id;
    _Pragma("unroll 1") for (uint p = 0; p < programs; ++p) {
#else
    const uint p = group;
#endif
        const uint size = population[(TREE + 1) * p];
        _Pragma("unroll 1") for (uint i = local_id; i < size; i += local_size) program[i] = population[(TREE + 1) * p + 1 + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        float error = 0.0f;
#ifndef STRATEGY_FP
        _Pragma("unroll 1") for (uint chunk = 0; chunk < chunks; ++chunk) {
            const uint n = chunk * local_size + local_id;
#endif
            if (n < dataset) {
                INTERPRET(value)
                error += fabs(value - y[n]);
            }
#ifndef STRATEGY_FP
        }
#endif
        partial[local_id] = error;
        REDUCE
        if (local_id == 0)
#ifdef STRATEGY_FP
            errors[p * get_num_groups(0) + group] = partial[0];
    }
#else
            errors[p] = partial[0];
#endif
#endif
}
