/// The rules of a fault script. docs/sandbox-faults.md is the manual.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/kube/json.hpp"

namespace davit::sandbox {

enum class FaultKind : std::uint8_t {
  kDelay,   ///< The response is delayed.
  kStatus,  ///< A response with this code; the request does not get through. Ends a watch with 410.
  kReset,   ///< The connection is reset before the request gets through.
  kLost,    ///< The request gets through, and the connection is reset instead of a response.
  kBody,    ///< The request gets through, and another body replaces that of its response.
  kSlow,    ///< The body trickles.
  kCut,     ///< The body, or the watch, breaks off.
  kStale,   ///< A get or list shows an earlier state.
  kHold,    ///< A watch falls silent; what it would have said comes later, in order.
  kGap,     ///< A watch leaves out events.
};
[[nodiscard]] std::string_view to_text(FaultKind kind);

/// A request as rules see it.
struct RequestFacts {
  std::string verb;  ///< RBAC's; for a path that is not a resource, the method in lower case.
  std::string group;
  std::string resource;  ///< Empty: no resource, such as /version.
  std::string subresource;
  std::string ns;
  std::string name;
  std::string user_agent;
  std::string user;  ///< Empty: not known.
};

/// An event of a watch, as rules see it.
struct EventFacts {
  std::string type;  ///< "ADDED"
  std::string ns;
  std::string name;
};

/// The requests that a rule concerns. Empty members match everything.
struct FaultTarget {
  std::vector<std::string> verbs;
  /// "pods", "deployments.apps", "pods/status", "pods/*"; without a group it is any group's.
  std::vector<std::string> resources;
  std::string ns;
  std::string name;
  std::string user_agent;  ///< A part of the header.
  std::string user;

  /// Except `ns` and `name`, which kGap compares with the event.
  [[nodiscard]] bool matches_kind(const RequestFacts& request_facts) const;
  [[nodiscard]] bool matches(const RequestFacts& request_facts) const;
};

/// One rule. Matches are counted from when it was added: the first `skip` are spared, of the others
/// each is hit with `probability`, and after `count` hits the rule is spent.
struct FaultRule {
  FaultKind kind = FaultKind::kDelay;
  FaultTarget target;

  std::uint64_t skip = 0;
  std::optional<std::uint64_t> count;
  double probability = 1;
  Duration from{0};               ///< Asleep before, since it was added.
  std::optional<Duration> until;  ///< Over then.

  Duration delay{0};                 ///< kDelay.
  int code = 0;                      ///< kStatus.
  int retry_after_seconds = 0;       ///< kStatus; 0: no header.
  std::string message;               ///< kStatus; empty: one that fits the code.
  std::string body;                  ///< kBody.
  std::size_t bytes_per_second = 0;  ///< kSlow.
  std::size_t after_bytes = 0;       ///< kCut of a body.
  /// kCut, kHold and kStatus 410 of a watch: so long after it opened, or after the rule was added,
  /// and not before so many events have passed.
  Duration after{0};
  std::uint64_t after_events = 0;
  bool clean = false;                           ///< kCut of a watch: it ends properly.
  std::optional<Duration> hold_for;             ///< kHold; absent: until the rule is removed.
  std::optional<std::uint64_t> revisions_back;  ///< kStale; absent: as it was when added.
  std::vector<std::string> event_types;         ///< kGap; empty: ADDED, MODIFIED and DELETED.

  Json source;  ///< The rule as written.
};

struct FaultScript {
  std::optional<std::uint64_t> seed;
  std::vector<FaultRule> rules;
};

/// A script, or one rule alone. kInvalid names the place: "rules[2].probability: must be …".
[[nodiscard]] Result<FaultScript> parse_fault_script(const Json& script);

}  // namespace davit::sandbox
