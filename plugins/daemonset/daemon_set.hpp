/// DaemonSet: a typed view of what the controller reads.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <davit/kube/metadata.hpp>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace davit::daemonset {

/// Names the revision that a pod or a ControllerRevision was made from.
inline constexpr std::string_view kHashLabel = "controller-revision-hash";
/// Names the template generation that a pod was made from.
inline constexpr std::string_view kGenerationLabel = "pod-template-generation";
/// The API server's count of the changes of a DaemonSet's template.
inline constexpr std::string_view kGenerationAnnotation =
    "deprecated.daemonset.template.generation";

class DaemonSet : public ObjectView {
 public:
  static constexpr Resource kResource{"apps", "v1", "daemonsets", "DaemonSet"};
  using ObjectView::ObjectView;

  /// A LabelSelector; see Selector::parse.
  [[nodiscard]] Value selector() const { return spec()[&Names::selector]; }
  [[nodiscard]] Value pod_template() const { return spec()[&Names::pod_template]; }
  /// Limited to the int32 of the API's type.
  [[nodiscard]] std::chrono::seconds min_ready() const {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    const std::int64_t seconds = spec()[&Names::min_ready_seconds].integer_or(0);
    return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, kMost));
  }
  /// The API server's default of 10 when absent.
  [[nodiscard]] std::int64_t revision_history_limit() const {
    return spec()[&Names::revision_history_limit].integer_or(10);
  }
  /// "RollingUpdate" or "OnDelete".
  [[nodiscard]] std::string_view strategy_type() const {
    return spec()["updateStrategy"][&Names::type].string();
  }
  /// An integer or percentage; see IntOrPercent::parse.
  [[nodiscard]] Value max_surge() const { return rolling_update()[&Names::max_surge]; }
  [[nodiscard]] Value max_unavailable() const { return rolling_update()[&Names::max_unavailable]; }

  /// The generation of the template in decimal; nothing when it cannot be read.
  [[nodiscard]] std::optional<std::string> template_generation() const {
    std::string_view text = annotation(kGenerationAnnotation).value_or("");
    if (text.starts_with('+')) text.remove_prefix(1);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return std::to_string(number);
  }

  [[nodiscard]] std::int64_t observed_generation() const {
    return status()[&Names::observed_generation].integer_or(0);
  }
  /// Absent and 0 give different hashes.
  [[nodiscard]] std::optional<std::int64_t> collision_count() const {
    return status()[&Names::collision_count].integer();
  }
  /// A counter of the status; 0 when absent.
  [[nodiscard]] std::int64_t count(std::string_view counter) const {
    return status()[counter].integer_or(0);
  }

 private:
  [[nodiscard]] Value rolling_update() const {
    return spec()["updateStrategy"][&Names::rolling_update];
  }
};

}  // namespace davit::daemonset
