/// Writing the status of a DaemonSet.
#pragma once

#include <cstdint>
#include <davit/client.hpp>
#include <string>

#include "plugins/daemonset/daemon_set.hpp"
#include "plugins/daemonset/status_plan.hpp"

namespace davit::daemonset {

/// Whether a sync has acted on the generation that it read.
enum class Observed : std::uint8_t { kNo, kYes };

struct StatusPlan {
  DaemonCounts counts;
  Observed generation = Observed::kNo;
};

/// A merge patch of the status subresource of `set`, provided that the server still has that
/// version; `generation` is the one that was acted on. Nothing else in the status changes.
[[nodiscard]] std::string status_patch(const DaemonSet& set, const StatusPlan& plan,
                                       std::int64_t generation);

class StatusWriter {
 public:
  /// The effect of a plan on the stored status.
  enum class Change : std::uint8_t {
    kNone,
    kCounts,      ///< Only counters.
    kGeneration,  ///< Also the generation that was acted on.
  };

  explicit StatusWriter(Client client) : client_(client) {}

  [[nodiscard]] static Change change(const DaemonSet& set, const StatusPlan& plan);

  /// Writes `plan`. After any failure the DaemonSet is read from the server and the same counters
  /// written once more; blocks for up to three requests.
  [[nodiscard]] Status write(const DaemonSet& set, const StatusPlan& plan) const;

 private:
  [[nodiscard]] Status patch(const DaemonSet& set, const StatusPlan& plan,
                             std::int64_t generation) const;

  Client client_;
};

}  // namespace davit::daemonset
