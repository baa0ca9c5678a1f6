/// One Kubernetes Event (core/v1) as the host makes it. Plain data and its JSON.
#pragma once

#include <cstdint>
#include <string>

#include "lib/base/clock.hpp"

namespace davit::host {

/// The object that an event is about.
struct Reference {
  std::string api_version;
  std::string kind;
  std::string ns;  ///< Empty for cluster-scoped objects: their events are in namespace "default".
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string field_path;  ///< Usually empty.
};

struct Event {
  /// Whether the fields reporting… repeat the component and the host.
  enum class Reporter { kNamed, kUnnamed };

  std::string name;
  std::string ns;
  Reference regarding;
  std::string type;
  std::string reason;
  std::string message;
  std::string component;
  std::string host;
  WallTime first_seen{};
  WallTime last_seen{};
  std::int64_t count = 1;
  Reporter reporter = Reporter::kNamed;
};

/// The body of a POST.
[[nodiscard]] std::string event_json(const Event& event);

/// The strategic-merge patch that a repetition sends: count, lastTimestamp and message.
[[nodiscard]] std::string event_patch_json(const Event& event);

/// The name of an event on `object`: `<object>.<hex nanoseconds>`, or `uuid` if that is not a DNS
/// subdomain.
[[nodiscard]] std::string event_name(std::string_view object, WallTime now, std::string uuid);

}  // namespace davit::host
