/// Patches of Nodes that hold for one version of them.
#pragma once

#include <chrono>
#include <davit/context.hpp>
#include <davit/kube/node.hpp>
#include <functional>
#include <optional>
#include <string>

namespace davit::cloud {

/// The body for a Node as it is now; nothing: there is nothing to do any more.
using NodeBody = std::function<std::optional<std::string>(const Node& node)>;

struct NodePatchTries {
  int most = 5;
  /// The pause before another try, at least; at most twice this.
  std::chrono::milliseconds pause{100};
};

/// Patches the Node, tried with what the cache has and after each conflict with a fresh read. Ok,
/// too, if there is nothing to do. kNotFound: it is gone, or another one has its name. Waits.
[[nodiscard]] Status patch_node(const Context& cluster, const Node& cached, const NodeBody& body,
                                const NodePatchTries& tries = {});

}  // namespace davit::cloud
