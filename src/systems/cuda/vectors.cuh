// Rows as CUDA's vector types (float2, float3, float4; uint2 to uint4 for Boolean words) and their operators.
// Models: Chitty 2016, Listing 3: an inline function per GP operator that works member by member.
// Leaves out: nothing of the listing. STACKDIM chooses the type.
// Sources: Chitty 2016, Listing 3 and section 6.1.
#pragma once

#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#if defined(BOOLEAN_WORDS)
typedef JOIN(uint, STACKDIM) VECTOR;
#define MAKE JOIN(make_uint, STACKDIM)
#else
typedef JOIN(float, STACKDIM) VECTOR;
#define MAKE JOIN(make_float, STACKDIM)
#endif

// FOR_MEMBERS(M): M(x), M(y), ... separated by commas; MEMBERS_AFTER_X(M): the same without x and commas.
#if STACKDIM == 2
#define FOR_MEMBERS(M) M(x), M(y)
#define MEMBERS_AFTER_X(M) M(y)
#elif STACKDIM == 3
#define FOR_MEMBERS(M) M(x), M(y), M(z)
#define MEMBERS_AFTER_X(M) M(y) M(z)
#elif STACKDIM == 4
#define FOR_MEMBERS(M) M(x), M(y), M(z), M(w)
#define MEMBERS_AFTER_X(M) M(y) M(z) M(w)
#else
#error "a vector type has 2, 3 or 4 members"
#endif

// Each function on single values, then on vectors: scalar_<code> and vector_<code>.
#define SCALAR(code) JOIN(scalar_, code)
#define OPERATOR(code) JOIN(vector_, code)
#define UNARY_OPERATOR(code, expression)                                                  \
  static __device__ __forceinline__ VALUE SCALAR(code)(VALUE a) { return (expression); }  \
  static __device__ __forceinline__ VECTOR OPERATOR(code)(VECTOR va) {                    \
    auto apply = SCALAR(code);                                                            \
    return MAKE(FOR_MEMBERS(APPLIED_TO_1));                                               \
  }
#define BINARY_OPERATOR(code, expression)                                                         \
  static __device__ __forceinline__ VALUE SCALAR(code)(VALUE a, VALUE b) { return (expression); } \
  static __device__ __forceinline__ VECTOR OPERATOR(code)(VECTOR va, VECTOR vb) {                 \
    auto apply = SCALAR(code);                                                                    \
    return MAKE(FOR_MEMBERS(APPLIED_TO_2));                                                       \
  }
#define TERNARY_OPERATOR(code, expression)                                                                 \
  static __device__ __forceinline__ VALUE SCALAR(code)(VALUE a, VALUE b, VALUE c) { return (expression); } \
  static __device__ __forceinline__ VECTOR OPERATOR(code)(VECTOR va, VECTOR vb, VECTOR vc) {               \
    auto apply = SCALAR(code);                                                                             \
    return MAKE(FOR_MEMBERS(APPLIED_TO_3));                                                                \
  }
#define APPLIED_TO_1(m) apply(va.m)
#define APPLIED_TO_2(m) apply(va.m, vb.m)
#define APPLIED_TO_3(m) apply(va.m, vb.m, vc.m)
FUNCTIONS(UNARY_OPERATOR, BINARY_OPERATOR, TERNARY_OPERATOR)

// What operands.cuh asks for, on vectors.
#define NEXT_MEMBER(m) \
  p += blockDim.x;     \
  row_.m = inputs[p];
#define READ_INPUT(row, p)         \
  {                                \
    VECTOR& row_ = row;            \
    row_.x = inputs[p];            \
    MEMBERS_AFTER_X(NEXT_MEMBER)   \
  }
#define SAME_CONSTANT(m) constant_
#define READ_CONSTANT(row, constant)       \
  {                                        \
    VALUE constant_ = (constant);          \
    row = MAKE(FOR_MEMBERS(SAME_CONSTANT)); \
  }
#define APPLY_UNARY(code, expression) x = OPERATOR(code)(x);
#define APPLY_BINARY(code, expression) x = OPERATOR(code)(x, y);
#define APPLY_TERNARY(code, expression) x = OPERATOR(code)(x, y, z);

// The error of the vector `result` against the outputs from `i` on.
#define NEXT_ERROR(m) \
  p += blockDim.x;    \
  sum += error(result.m, outputs[p]);
#define ADD_ERRORS                       \
  {                                      \
    int p = i;                           \
    sum += error(result.x, outputs[p]);  \
    MEMBERS_AFTER_X(NEXT_ERROR)          \
  }
