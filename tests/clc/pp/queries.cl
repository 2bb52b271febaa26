// options: -cl-std=CL1.2
#if defined(__has_builtin) && defined __has_attribute && defined(__has_include)
ok1
#endif
#ifdef __has_feature
ok2
#endif
#if defined(__has_builtin) && __has_builtin(__builtin_popcount) && !__has_builtin(__builtin_amdgcn_mov_dpp)
ok3
#endif
#if 0 && __has_builtin(__builtin_nothing) || defined(NOT_THERE) && __has_attribute(nothing)
bad
#else
ok4
#endif
#if __has_builtin(get_global_id) && !__has_builtin(ctz) && !__has_builtin(__rotate) && !__has_builtin(main)
ok5
#endif
#if __has_builtin(__builtin_astype) && __has_builtin(__builtin_shufflevector) && !__has_builtin(sizeof)
ok6
#endif
#if __has_attribute(always_inline) && __has_attribute(__packed__) && !__has_attribute(section) && !__has_attribute(nonsense)
ok7
#endif
#if __has_c_attribute(fallthrough) == 201904 && __has_c_attribute(gnu::aligned) && !__has_c_attribute(gnu::nonsense)
ok8
#endif
#ifdef __has_cpp_attribute
bad
#endif
#if __has_feature(attribute_ext_vector_type) && !__has_feature(blocks) && !__has_feature(c_static_assert)
ok9
#endif
#if __has_extension(c_static_assert) && __has_extension(__c_generic_selections__) && !__has_extension(modules)
ok10
#endif
#if __is_identifier(wchar_t) && !__is_identifier(int) && __is_identifier(pipe) && !__is_identifier(__typeof__)
ok11
#endif
#define HEADER "a.h"
#define IN_ANGLES <sub/b.h>
#if __has_include("a.h") && __has_include(<sub/c.h>) && !__has_include("none.h") && !__has_include(<none>)
ok12
#endif
#if __has_include(HEADER) && __has_include(IN_ANGLES)
ok13
#endif
#if !__has_warning("-Wunused")
ok14
#endif
#ifndef __has_builtin
#define __has_builtin(x) 0
#endif
// They are macros, and their arguments are not expanded.
#define __builtin_ctz nothing
#define ASK __has_builtin
#define IF_HAS(x) __has_builtin(x)
int x = __has_builtin(__builtin_ctz) + ASK(printf) + IF_HAS(sin);
#if 0
#elifdef NOT_THERE
bad
#elifndef NOT_THERE
ok15
#elifdef __has_feature
bad
#endif
__INCLUDE_LEVEL__ __BASE_FILE__ __FILE_NAME__ __COUNTER__ __COUNTER__
#line 1 "dir/other.cl"
__FILE_NAME__ __BASE_FILE__
#if __CHAR_BIT__ * __SIZEOF_LONG__ == 64 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && __INT_MAX__ == 0x7fffffff
ok16
#endif
#ifdef __clang__
bad
#endif
//= ok1
//= ok2
//= ok3
//= ok4
//= ok5
//= ok6
//= ok7
//= ok8
//= ok9
//= ok10
//= ok11
//= ok12
//= ok13
//= ok14
//= int x = 1 + 1 + 1;
//= ok15
//= 0 "queries.cl" "queries.cl" 0 1
//= "other.cl" "queries.cl"
//= ok16
