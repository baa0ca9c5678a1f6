/// The syntax tree of an expression in the Common Expression Language, macros expanded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace davit::cel {

/// Names of the calls that operators become, as cel-go has them.
namespace operators {
inline constexpr std::string_view kConditional = "_?_:_";
inline constexpr std::string_view kLogicalAnd = "_&&_";
inline constexpr std::string_view kLogicalOr = "_||_";
inline constexpr std::string_view kLogicalNot = "!_";
inline constexpr std::string_view kEquals = "_==_";
inline constexpr std::string_view kNotEquals = "_!=_";
inline constexpr std::string_view kLess = "_<_";
inline constexpr std::string_view kLessEquals = "_<=_";
inline constexpr std::string_view kGreater = "_>_";
inline constexpr std::string_view kGreaterEquals = "_>=_";
inline constexpr std::string_view kAdd = "_+_";
inline constexpr std::string_view kSubtract = "_-_";
inline constexpr std::string_view kMultiply = "_*_";
inline constexpr std::string_view kDivide = "_/_";
inline constexpr std::string_view kModulo = "_%_";
inline constexpr std::string_view kNegate = "-_";
inline constexpr std::string_view kIndex = "_[_]";
inline constexpr std::string_view kOptionalIndex = "_[?_]";
/// Its second argument is a string literal, the field.
inline constexpr std::string_view kOptionalSelect = "_?._";
inline constexpr std::string_view kIn = "@in";
/// The condition of loops that ends them early: false only for false, so errors continue.
inline constexpr std::string_view kNotStrictlyFalse = "@not_strictly_false";
/// transformMap() builds its result with these: (map, key, value) and (map, map).
inline constexpr std::string_view kMapInsert = "cel.@mapInsert";
}  // namespace operators

/// The accumulator of macros; sources cannot name it.
inline constexpr std::string_view kAccumulator = "@result";

/// A literal of bytes, unlike one of text.
struct BytesLiteral {
  std::string bytes;
  friend bool operator==(const BytesLiteral&, const BytesLiteral&) = default;
};
/// std::monostate is null.
using Literal = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string,
                             BytesLiteral>;

enum class ExprKind : std::uint8_t {
  kLiteral,        ///< `literal`
  kIdent,          ///< `name`, with a leading '.' if the source has it
  kSelect,         ///< `target`.`name`; with `test_only` the result of has()
  kCall,           ///< `name`(`args`), or `target`.`name`(`args`)
  kList,           ///< [`args`]; `optional_args` has a flag for each, or is empty
  kMap,            ///< {`entries`}
  kStruct,         ///< `name`{`entries`}
  kComprehension,  ///< `loop`
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

/// An entry of a map (`key`) or of a struct (`field`).
struct Entry {
  std::int64_t id = 0;
  ExprPtr key;        ///< Null in a struct.
  std::string field;  ///< Empty in a map.
  ExprPtr value;
  bool optional = false;     ///< `?key: value`
  std::uint32_t offset = 0;  ///< The place of the colon.
};

/// For each element of `range`: while `condition`, accumulator = `step`; then `result`.
///
/// The variables are visible in `condition` and `step`, the accumulator in `result`, too. With one
/// variable, it is the element of a list or the key of a map. With two, the first is the index or
/// the key, and the second the element or the value.
struct Comprehension {
  ExprPtr range;
  std::string variable;
  std::string variable2;  ///< Empty: one variable.
  std::string accumulator;
  ExprPtr init;
  ExprPtr condition;
  ExprPtr step;
  ExprPtr result;
};

/// A node. Which members count is said at ExprKind. The parser limits the depth of a tree to
/// kTreeDepthMax, so recursion over it is safe.
struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  bool test_only = false;
  /// The operators, selections, indexes and member calls on the longest way down, as the source has
  /// them: see kRecursionMax.
  std::uint16_t height = 0;
  std::int64_t id = 0;       ///< Unique in its tree, above 0.
  std::uint32_t offset = 0;  ///< The place in the source, in code points.
  Literal literal;
  std::string name;
  ExprPtr target;
  std::vector<ExprPtr> args;
  std::vector<bool> optional_args;
  std::vector<Entry> entries;
  std::unique_ptr<Comprehension> loop;
};

/// Deeper trees are refused. No rule of a published CRD has a depth of 50; a stack of 8 MiB holds
/// ten times this one under every sanitizer.
inline constexpr std::size_t kTreeDepthMax = 500;

}  // namespace davit::cel
