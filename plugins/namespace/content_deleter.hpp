/// Deletes what is in a namespace.
#pragma once

#include <chrono>
#include <davit/context.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/namespace/condition_plan.hpp"
#include "plugins/namespace/content_plan.hpp"
#include "plugins/namespace/namespace_view.hpp"
#include "plugins/namespace/resource_plan.hpp"

namespace davit::namespaces {

/// The outcome of one attempt to empty a namespace.
struct DeletionOutcome {
  std::chrono::seconds estimate{0};  ///< Above 0: content remains, and may be gone after that.
  Status error;                      ///< kCancelled: the host stops; `findings` are not complete.
  Findings findings;
};

/// Asks the server for all that it knows: nothing here is cached. Only for syncs.
class ContentDeleter {
 public:
  /// `cluster` outlives this.
  ContentDeleter(const Context& cluster, Discover discover);

  /// Deletes pods, and everything else once there are none. Waits for nothing.
  [[nodiscard]] DeletionOutcome empty(const Namespace& ns) const;

 private:
  struct Progress;
  /// A resource, and what it cannot do now.
  struct Target;

  /// Notes in `progress` what failed.
  [[nodiscard]] std::vector<Gvr> find_resources(Progress& progress) const;
  [[nodiscard]] ResourceOutcome process(const Namespace& ns, const Target& target) const;
  [[nodiscard]] Result<std::chrono::seconds> estimate_grace(const Namespace& ns,
                                                            const Gvr& gvr) const;
  [[nodiscard]] Status delete_content(std::string_view ns, const Target& target) const;
  [[nodiscard]] Status delete_each(std::string_view ns, const Target& target) const;
  /// kNotFound if the resource cannot be listed for any reason.
  [[nodiscard]] Result<Value> list_metadata(std::string_view ns, const Target& target) const;

  const Context& cluster_;
  const Discover discover_;
};

}  // namespace davit::namespaces
