/// The configuration of the binder.
#pragma once

#include <cstdint>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <string_view>

namespace davit::volumebinder {

/// The time that a recycler pod gets: a minimum, or more for a large volume. In seconds.
struct RecyclerTime {
  std::int64_t minimum;
  std::int64_t per_gibibyte;
};

/// Members of the configuration that are pods, by which volumes are emptied.
inline constexpr std::string_view kNfsTemplate = "recyclerPodTemplateNFS";
inline constexpr std::string_view kHostPathTemplate = "recyclerPodTemplateHostPath";

/// Rule: docs/spec/volumes.md, B1.
struct Options {
  Duration sync_period = std::chrono::seconds(15);  ///< At least a second.
  bool dynamic_provisioning = true;
  RecyclerTime nfs{300, 30};
  RecyclerTime host_path{60, 30};
};

/// kInvalid: a member is unknown or has no value of its kind.
[[nodiscard]] Result<Options> read_options(Value config);

}  // namespace davit::volumebinder
