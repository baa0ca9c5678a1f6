/// The writes that a controller means to make, in a form in which two builds can be compared.
#pragma once

#include <davit/abi.h>

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "host/api/api_request.hpp"
#include "host/outbound/outbound_client.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

struct IntendedWrite {
  std::string verb;      ///< "create", "update", "patch" or "delete"; of an HTTP request "PUT".
  std::string resource;  ///< "apps/v1 replicasets/status"; of an HTTP request the server.
  std::string object;    ///< "default/web"; where the server makes the name, "default/web-*"; of an
                         ///< HTTP request the path.
  std::string content;   ///< The kind of patch and the body, without what each moment changes.
  /// Instead of `content` where that may not be shown: of Secrets and tokens. Only compared.
  std::string hidden = {};

  friend auto operator<=>(const IntendedWrite&, const IntendedWrite&) = default;
};

/// `name`: of the object, as the request or the body of a create has it.
[[nodiscard]] IntendedWrite intended_write(const ApiRequest& request, std::string_view name);

/// A request to a server outside the cluster. Its body and query are only compared: they may
/// hold secrets.
[[nodiscard]] IntendedWrite intended_request(const OutboundRequest& request);

/// The body with every time and resource version replaced by a placeholder: two builds that mean
/// the same never say it in the same instant.
[[nodiscard]] std::string without_moments(std::string_view body);

/// Collects writes of one controller while a mode other than kOff is set. Thread-safe; a leaf lock.
class IntendedWrites {
 public:
  enum class Mode {
    kOff,
    kRecord,    ///< Collects writes, which are sent as usual.
    kSimulate,  ///< Sends no write: the host responds as the server would.
  };
  /// Forgets what was collected.
  void begin(Mode mode) EXCLUDES(mutex_);
  /// Relaxed is sufficient: a call in progress may still act as before.
  [[nodiscard]] Mode mode() const { return mode_.load(std::memory_order_relaxed); }

  struct Content {
    std::map<IntendedWrite, Time> writes;  ///< With the time of the first attempt.
    std::size_t beyond = 0;                ///< Writes that were too many to be kept.
    std::size_t syncs = 0;
    std::size_t failed = 0;  ///< Failed syncs.
    std::string last_error;
  };
  void note(IntendedWrite write, Time now) EXCLUDES(mutex_);
  void note_sync(davit_code code, std::string_view error) EXCLUDES(mutex_);
  [[nodiscard]] Content content() const EXCLUDES(mutex_);

 private:
  std::atomic<Mode> mode_{Mode::kOff};
  mutable Mutex mutex_;
  Content content_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
