/// Lists and watches one collection of the API.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>

#include "lib/base/backoff.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"
#include "lib/kube/json.hpp"
#include "sandbox/nodes/api_calls.hpp"

namespace davit::sandbox {

/// "namespace/name"; "/name" for what has no namespace.
[[nodiscard]] std::string key_of(const Json& object);
/// metadata.resourceVersion as a number, by which one object's versions are ordered; 0 when it is
/// none.
[[nodiscard]] std::uint64_t version_of(const Json& object);

///   BackingOff ──due──▶ Listing ──all pages──▶ Watching
///        ▲                 │ refused               │ ended, cut; 410: list anew
///        └─────────────────┴───────────────────────┘
///
/// Survives everything that a server does: it backs off after refusals and cuts.
/// Belongs to one thread.
class Reflector {
 public:
  struct Handlers {
    /// An object is there, is new, or has changed. May repeat what is known already.
    std::function<void(Json object)> changed;
    /// The object of this key is gone.
    std::function<void(const std::string& key)> removed;
  };

  struct Seams {
    ApiCalls& api;  // Must not deliver once the reflector is gone.
    Clock& clock;
    Random& random;
    Logger log;
  };

  /// `path`: "/api/v1/pods".
  Reflector(Seams seams, std::string path, Handlers handlers);

  /// Takes in what has come and does what is due. Returns when it wants to be called next if
  /// nothing comes.
  Time step();
  /// Whether the handlers have seen a whole list at least once.
  [[nodiscard]] bool synced() const { return synced_; }

 private:
  enum class State { kBackingOff, kListing, kWatching };

  void list(const std::string& next_page);
  void take_page(const ApiResponse& response);
  void end_list();
  void watch();
  void drain();
  void take_line(std::string_view line);
  void take_error(const Json& status);
  void announce(Json object);
  void back_off(std::string_view why);

  Seams seams_;
  const std::string path_;
  const Handlers handlers_;

  State state_ = State::kBackingOff;
  Time due_{};  // When the next attempt is due, while backing off.
  Backoff backoff_;
  bool synced_ = false;
  std::string resource_version_;  // Empty: list first.
  std::unordered_set<std::string> known_;
  std::unordered_set<std::string> listed_;  // While listing: what is still there.
  std::unique_ptr<ApiStream> stream_;
  std::string unread_;  // The beginning of a line.
};

}  // namespace davit::sandbox
