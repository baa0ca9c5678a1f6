/// The decisions by which an explored run differs from the undisturbed one, as a line of text.
#pragma once

#include <compare>
#include <cstdint>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit::explore {

/// A place at which a run can take another course. The places of a kind are counted from 1, over
/// all replicas of the run.
enum class Point : std::uint8_t {
  kRequest,    ///< A controller's request to the server.
  kDiscovery,  ///< The host's request for a discovery document.
  kTurn,       ///< Between two syncs.
  kTimer,      ///< Before a timer that is due while a sync waits.
};

enum class Choice : std::uint8_t {
  // At a request.
  kCrashBefore,     ///< The process ends before the server has the request. It restarts.
  kCrashAfter,      ///< It ends after the request was applied, before the response. It restarts.
  kTakeoverBefore,  ///< As kCrashBefore, and a standby takes over.
  kTakeoverAfter,   ///< As kCrashAfter, and a standby takes over.
  kLostResponse,    ///< Applied; the connection breaks before the response.
  kErrorAfter,      ///< Applied; the response is 500.
  kConflict,        ///< The response is 409, and nothing is applied.
  kEmptyBody,       ///< Applied; the body is {}.
  kStatusBody,      ///< Applied; the body is a Status of success.
  kOtherKind,       ///< Applied; the body is an object of another kind.
  kNoMetadata,      ///< Applied; the body lacks metadata.
  kTruncated,       ///< Applied; the body is cut in half.
  kSuspend,         ///< The process is suspended while another one leads and releases the lease.
  // At a discovery request.
  kNoCoreGroup,   ///< The document lacks the core group.
  kEmptyCatalog,  ///< The document lists nothing.
  kUnavailable,   ///< The response is 503.
  // Between two syncs.
  kSwap,    ///< Another build of each controller takes its place.
  kEnable,  ///< Each controller is disabled and enabled.
  kHold,    ///< The caches show nothing new until nothing else is left to do.
  kLate,    ///< They show nothing new for one sync: it runs before the changes that came.
  kOnly,    ///< Like kHold, for the cache of one resource.
  /// As soon as nothing is left to do, the controllers are disabled until the scenario has changed
  /// the cluster.
  kDisable,
  kUnload,   ///< As kDisable, and the caches are dropped.
  kReverse,  ///< From here on the controllers take turns in the opposite order.
  kRestore,  ///< The server is restored to an older state.
  // Before a timer.
  kAfterSync,  ///< A sync runs before the timer does.
};

struct Decision {
  Point point = Point::kRequest;
  int number = 0;  ///< From 1.
  Choice choice = Choice::kCrashBefore;
  /// The part of the server's content that the caches lack. For a new process, a standby, and
  /// between two syncs: the number of changes before the point that they lack; without faults, they
  /// would have shown them until then. For a request that is applied: 1, if the caches show nothing
  /// of it, nor of what follows, for three seconds. For discovery: 1, if it is so for twenty
  /// seconds. For kRestore: the number of requests whose changes are lost.
  int behind = 0;
  /// The resource whose cache lacks changes or shows nothing new ("pods"), or, for kOnly, does;
  /// empty: all.
  std::string resource{};

  friend auto operator<=>(const Decision&, const Decision&) = default;
  friend bool operator==(const Decision&, const Decision&) = default;
};

/// The decisions of a run; every other place it passes undisturbed.
using Plan = std::vector<Decision>;

[[nodiscard]] std::string_view to_text(Point point);
[[nodiscard]] std::string_view to_text(Choice choice);
/// Whether caches stop because of it before their turn comes.
[[nodiscard]] bool stops_caches(const Decision& decision);
/// The choice of a name.
[[nodiscard]] std::optional<Choice> find_choice(std::string_view name);
/// The effect of a choice, as a part of a sentence: "the process ends before …".
[[nodiscard]] std::string_view meaning(Choice choice);
/// The mistake of a controller that goes wrong in a run, for people: "acts on a cache that is old".
[[nodiscard]] std::string_view mistake_of(const Plan& plan);
/// "request#3=crash-after@2", "turn#4=hold:pods".
[[nodiscard]] std::string to_text(const Decision& decision);
/// The decisions, with ", " between them; "undisturbed" for none.
[[nodiscard]] std::string to_text(const Plan& plan);
/// kInvalid with the part that is wrong, and what is allowed there. Resources are not checked.
[[nodiscard]] Result<Plan> parse_plan(std::string_view text);

/// All choices at one kind of point.
[[nodiscard]] std::vector<Choice> choices_at(Point point);

}  // namespace davit::explore
