/// Macros: calls that the parser replaces by other trees.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/cel/ast.hpp"
#include "lib/cel/source.hpp"

namespace davit::cel {

/// Makes nodes, and counts them.
class TreeBuilder {
 public:
  /// Copies by macros can make a tree exponentially larger than its source; a source without them
  /// has fewer nodes than code points.
  static constexpr std::int64_t kNodesMax = 150'000;

  [[nodiscard]] ExprPtr node(ExprKind kind, std::uint32_t offset);
  [[nodiscard]] ExprPtr literal(std::uint32_t offset, Literal value);
  [[nodiscard]] ExprPtr ident(std::uint32_t offset, std::string_view name);
  [[nodiscard]] ExprPtr call(std::uint32_t offset, std::string_view function,
                             std::vector<ExprPtr> args, ExprPtr target = nullptr);
  /// A copy with other ids; of a tree that would exceed kNodesMax an empty one.
  [[nodiscard]] ExprPtr copy(const Expr& expr);
  [[nodiscard]] bool is_full() const { return last_id_ >= kNodesMax; }
  [[nodiscard]] std::int64_t next_id() { return ++last_id_; }

 private:
  std::int64_t last_id_ = 0;
};

/// The expansion of a call that is a macro, else the call. A macro with wrong arguments adds an
/// issue.
[[nodiscard]] ExprPtr expand(ExprPtr call, TreeBuilder& builder, Issues& issues);
/// The same for the macro cel.bind only.
[[nodiscard]] ExprPtr expand_binding(ExprPtr call, TreeBuilder& builder, Issues& issues);

}  // namespace davit::cel
