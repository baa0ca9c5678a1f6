/// /healthz, /livez and /readyz.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/health/probe_thread.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/http_server.hpp"

namespace davit::host {

/// The endpoints that include a check. A check may serve several.
struct HealthEndpoints {
  bool health = false;  ///< /healthz: as kube-controller-manager's.
  bool live = false;    ///< /livez: failing means "restart me".
  bool ready = false;   ///< /readyz: failing means "send no work here".
};

/// The checks of the process, in the order in which they were added. Thread-safe.
class HealthChecks {
 public:
  /// Success, or why not in one line. Called without a lock on the server's thread; must not block.
  using Check = std::function<Status()>;

  explicit HealthChecks(Logger log) : log_(std::move(log)) {}

  /// Adds a check, or replaces the one of that name in its place.
  void add(std::string name, HealthEndpoints endpoints, Check check) EXCLUDES(mutex_);
  /// The same for a check that may be slow: it is called on the thread `thread`, and
  /// requests that wait for it share what it returns.
  void add_threaded(std::string name, HealthEndpoints endpoints,
                    std::shared_ptr<ProbeThread> thread, Check check) EXCLUDES(mutex_);
  void remove(std::string_view name) EXCLUDES(mutex_);

  /// Sets the role for /readyz: it returns 200 `ok` if `standby` is empty or returns false, and 200
  /// `ok (standby)` if it returns true: a standby is healthy and only has no work.
  void set_standby(std::function<bool()> standby) EXCLUDES(mutex_);

  /// Sets a note for operators that fails no check: /readyz?verbose shows that there is one, as
  /// `[!]<name> details withheld`. Replaces earlier lines of that name; an empty list removes them.
  void note(const std::string& name, std::vector<std::string> lines) EXCLUDES(mutex_);
  struct Note {
    std::string name;
    std::string text;
  };
  [[nodiscard]] std::vector<Note> notes() const EXCLUDES(mutex_);

  /// Answers /healthz, /livez, /readyz and a check's own path below them (/readyz/<check>); 404 for
  /// others. `?verbose` lists the checks, `?exclude=<check>` leaves one out. Everybody may
  /// read these paths, so the reasons of failures are in the log, at V2 from the second time on,
  /// and not in the response. Deferred while it includes a check on a ProbeThread; this object must
  /// outlive it.
  [[nodiscard]] HttpServerResponse respond(const HttpServerRequest& request) const EXCLUDES(mutex_);

  /// Receives the result of each check that ran: name, endpoint ("healthz"), success.
  using Observer = std::function<void(std::string_view, std::string_view, const Status&)>;
  void set_observer(Observer observer) EXCLUDES(mutex_);

 private:
  struct Entry {
    std::string name;
    HealthEndpoints endpoints;
    Check check;
    std::shared_ptr<ProbeThread> thread;  // Null: the check is made on the server's thread.
  };
  struct Ask;
  class Round;

  void add(Entry added) EXCLUDES(mutex_);
  [[nodiscard]] std::vector<Entry> entries(std::string_view endpoint) const EXCLUDES(mutex_);
  /// Makes what checks are not made yet, and puts their results together.
  [[nodiscard]] HttpServerResponse conclude(const Ask& ask) const EXCLUDES(mutex_);
  void log_failure(const std::string& name, std::string_view endpoint, const Status& result) const
      EXCLUDES(mutex_);

  const Logger log_;
  mutable Mutex mutex_;
  std::vector<Entry> entries_ GUARDED_BY(mutex_);
  std::function<bool()> standby_ GUARDED_BY(mutex_);
  Observer observer_ GUARDED_BY(mutex_);
  std::map<std::string, std::vector<std::string>> notes_ GUARDED_BY(mutex_);
  mutable std::set<std::string, std::less<>> failing_ GUARDED_BY(mutex_);  // At their last time.
};

}  // namespace davit::host
