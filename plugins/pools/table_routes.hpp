/// Routes to pods as lines of a ConfigMap.
#pragma once

#include <davit/cloud.hpp>
#include <davit/context.hpp>
#include <davit/kube/metadata.hpp>
#include <davit/kube/node.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/pools/shared_writes.hpp"

namespace davit::pools {

/// A ConfigMap, for the client.
class ConfigMap : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "configmaps", "ConfigMap"};
  using ObjectView::ObjectView;
};

inline constexpr std::string_view kRoutesNamespace = "kube-system";
inline constexpr std::string_view kRoutesName = "davit-pod-routes";

/// The ConfigMap has a line for each route. Each list() reads it from the server, so that the
/// loop's next pass corrects lines that another client has edited or deleted. Rule:
/// docs/spec/cloud.md, F6.
class TableRoutes final : public Routes {
 public:
  /// The references outlive this.
  TableRoutes(const Context& cluster, const Informer<Node>& nodes)
      : cluster_(cluster),
        nodes_(nodes),
        writes_([this](const std::vector<SharedWrites::Change>& all) { return write(all); }) {}
  ~TableRoutes() = default;

  [[nodiscard]] CloudReply list(std::string_view cluster) override;
  [[nodiscard]] CloudReply create(const CloudRouteCall& at) override;
  [[nodiscard]] CloudReply remove(const CloudRouteCall& at) override;

 private:
  struct Content {
    RouteTable table{};
    std::string text{};
    std::int64_t generation = 0;
  };
  [[nodiscard]] Result<Content> read() const;
  [[nodiscard]] Status write(const std::vector<SharedWrites::Change>& changes) const;
  /// The addresses of a line's Node, if they lead to the line's next hop; else that hop alone,
  /// by which the loop sees that they have changed.
  [[nodiscard]] Result<std::vector<CloudAddress>> addresses_of(const std::string& destination,
                                                               const RouteLine& line) const;

  const Context& cluster_;
  const Informer<Node>& nodes_;
  SharedWrites writes_;
};

}  // namespace davit::pools
