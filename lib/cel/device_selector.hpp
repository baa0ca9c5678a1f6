/// The expressions by which claims and classes select devices.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lib/cel/ast.hpp"
#include "lib/kube/json.hpp"

namespace davit::cel {

/// The limit on the cost of one evaluation (CELSelectorExpressionMaxCost).
inline constexpr std::uint64_t kSelectorCostMax = 1'000'000;

/// The API server's verdict on a new expression.
struct SelectorVerdict {
  std::string error;           ///< Why it cannot select devices; empty: it can.
  std::uint64_t cost_max = 0;  ///< Limit of one evaluation, on any device.
};
[[nodiscard]] SelectorVerdict judge_selector(const std::string& expression);

/// Evaluates expressions on devices, each compiled once. Kubernetes: staging/src/k8s.io/
/// dynamic-resource-allocation/cel. Not thread-safe.
class DeviceSelectors {
 public:
  /// Whether the expression selects the device. `device`: one of a slice's spec.devices.
  /// An error begins with "CEL compile error: " or "CEL runtime error: ".
  [[nodiscard]] Result<bool> matches(const std::string& expression, std::string_view driver,
                                     const Json& device);

 private:
  struct Compiled {
    cel::ExprPtr tree;
    std::string error;
  };
  /// At most so many, the usual number being a handful; then all are compiled again.
  static constexpr std::size_t kCompiledMax = 256;

  [[nodiscard]] const Compiled& compile(const std::string& expression);

  std::unordered_map<std::string, Compiled> compiled_;
};

}  // namespace davit::cel
