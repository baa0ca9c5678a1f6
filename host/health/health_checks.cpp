#include "host/health/health_checks.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/net/query.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kNoChecks = "ping";

HttpServerResponse plain(int status, std::string body) {
  return page_response(status, kPlainText, std::move(body));
}

HttpServerResponse not_found() { return plain(404, "404 page not found\n"); }

}  // namespace

/// One request, taken apart, and the checks that it is about.
struct HealthChecks::Ask {
  struct Item {
    Entry entry;
    bool excluded = false;
    std::optional<ProbeThread::Ticket> ticket = {};  // While a ProbeThread makes the check.
    std::optional<Status> result = {};               // Set for a check that a ProbeThread made.
  };

  std::string endpoint;  // "healthz", "livez", "readyz"
  std::string check;     // "": all of them.
  bool verbose = false;
  bool standby = false;
  std::vector<std::string> excluded;
  std::vector<Item> items;
};

/// Waits for those checks of a request that ProbeThreads make.
class HealthChecks::Round final : public HttpDeferredResponse {
 public:
  Round(const HealthChecks& checks, Ask ask) : checks_(checks), ask_(std::move(ask)) {
    for (Ask::Item& each : ask_.items) {
      if (!each.entry.thread || each.excluded) continue;
      each.ticket = each.entry.thread->join([check = each.entry.check]() -> Result<std::string> {
        if (Status s = check(); !s.ok()) return s;
        return std::string();
      });
    }
  }
  ~Round() override {
    for (const Ask::Item& each : ask_.items) {
      if (each.ticket) each.entry.thread->drop(*each.ticket);
    }
  }

  [[nodiscard]] std::optional<HttpServerResponse> take() override {
    bool known = true;
    for (Ask::Item& each : ask_.items) {
      if (!each.ticket) continue;
      const std::optional<Result<std::string>> made = each.entry.thread->take(*each.ticket);
      known = known && made;
      if (!made) continue;
      each.ticket.reset();
      each.result = made->error();
    }
    if (!known) return std::nullopt;
    return checks_.conclude(ask_);
  }
  /// Queued while a check is missing.
  [[nodiscard]] Time next_take() const override {
    for (const Ask::Item& each : ask_.items) {
      if (each.ticket) return each.entry.thread->next_poll();
    }
    return Time::min();
  }

 private:
  const HealthChecks& checks_;
  Ask ask_;
};

void HealthChecks::add(std::string name, HealthEndpoints endpoints, Check check) {
  add({std::move(name), endpoints, std::move(check), nullptr});
}

void HealthChecks::add_threaded(std::string name, HealthEndpoints endpoints,
                                std::shared_ptr<ProbeThread> thread, Check check) {
  add({std::move(name), endpoints, std::move(check), std::move(thread)});
}

void HealthChecks::add(Entry added) {
  MutexLock lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.name != added.name) continue;
    entry = std::move(added);
    return;
  }
  entries_.push_back(std::move(added));
}

void HealthChecks::remove(std::string_view name) {
  MutexLock lock(mutex_);
  std::erase_if(entries_, [name](const Entry& entry) { return entry.name == name; });
  std::erase_if(failing_, [name](const std::string& each) { return each == name; });
}

void HealthChecks::set_standby(std::function<bool()> standby) {
  MutexLock lock(mutex_);
  standby_ = std::move(standby);
}

void HealthChecks::set_observer(Observer observer) {
  MutexLock lock(mutex_);
  observer_ = std::move(observer);
}

void HealthChecks::note(const std::string& name, std::vector<std::string> lines) {
  MutexLock lock(mutex_);
  if (lines.empty()) {
    notes_.erase(name);
  } else {
    notes_[name] = std::move(lines);
  }
}

std::vector<HealthChecks::Note> HealthChecks::notes() const {
  std::vector<Note> all;
  MutexLock lock(mutex_);
  for (const auto& [name, lines] : notes_) {
    for (const std::string& line : lines) all.push_back({name, line});
  }
  return all;
}

void HealthChecks::log_failure(const std::string& name, std::string_view endpoint,
                               const Status& result) const {
  bool is_new = false;
  {
    MutexLock lock(mutex_);
    is_new = failing_.insert(name).second;
  }
  log_.info(is_new ? 0 : 2, "Health check failed",
            {{"check", name}, {"endpoint", endpoint}, {"reason", result.message()}});
}

std::vector<HealthChecks::Entry> HealthChecks::entries(std::string_view endpoint) const {
  std::vector<Entry> found;
  MutexLock lock(mutex_);
  for (const Entry& entry : entries_) {
    const bool wanted = endpoint == "healthz" ? entry.endpoints.health
                        : endpoint == "livez" ? entry.endpoints.live
                                              : entry.endpoints.ready;
    if (wanted) found.push_back(entry);
  }
  return found;
}

HttpServerResponse HealthChecks::respond(const HttpServerRequest& request) const {
  std::string_view path = request.path();
  if (path.empty() || path.front() != '/') return not_found();
  path.remove_prefix(1);
  Ask ask;
  ask.endpoint = path.substr(0, path.find('/'));
  if (ask.endpoint != "healthz" && ask.endpoint != "livez" && ask.endpoint != "readyz") {
    return not_found();
  }
  if (path.size() > ask.endpoint.size()) {
    ask.check = path.substr(ask.endpoint.size() + 1);
    if (ask.check.empty()) return not_found();
  }
  for (auto& [key, value] : parse_query(request.query())) {
    if (key == "verbose") ask.verbose = true;
    if (key == "exclude") ask.excluded.push_back(std::move(value));
  }
  std::function<bool()> standby;
  {
    MutexLock lock(mutex_);
    standby = standby_;
  }
  ask.standby = ask.endpoint == "readyz" && standby && standby();
  std::vector<Entry> checks = entries(ask.endpoint);
  if (checks.empty()) {
    checks.push_back({std::string(kNoChecks), {}, [] { return Status(); }, nullptr});
  }
  if (!ask.check.empty()) {
    std::erase_if(checks, [&](const Entry& entry) { return entry.name != ask.check; });
    if (checks.empty()) return not_found();
  }
  bool deferred = false;
  for (Entry& each : checks) {
    const bool excluded =
        std::find(ask.excluded.begin(), ask.excluded.end(), each.name) != ask.excluded.end();
    deferred = deferred || (each.thread && !excluded);
    ask.items.push_back({std::move(each), excluded});
  }
  if (!deferred) return conclude(ask);
  HttpServerResponse response;
  response.deferred = std::make_unique<Round>(*this, std::move(ask));
  return response;
}

HttpServerResponse HealthChecks::conclude(const Ask& ask) const {
  Observer observer;
  {
    MutexLock lock(mutex_);
    observer = observer_;
  }
  std::string lines;
  bool failed = false;
  for (const Ask::Item& item : ask.items) {
    const Entry& entry = item.entry;
    if (item.excluded) {
      lines += "[+]" + entry.name + " excluded: ok\n";
      continue;
    }
    const Status result = item.result ? *item.result : entry.check();
    if (observer) observer(entry.name, ask.endpoint, result);
    if (result.ok()) {
      lines += "[+]" + entry.name + " ok\n";
      MutexLock lock(mutex_);
      failing_.erase(entry.name);
      continue;
    }
    failed = true;
    log_failure(entry.name, ask.endpoint, result);
    lines += "[-]" + entry.name + " failed: reason withheld\n";
  }
  std::string unknown;
  for (const std::string& name : ask.excluded) {
    const auto named = [&name](const Ask::Item& item) { return item.entry.name == name; };
    if (std::any_of(ask.items.begin(), ask.items.end(), named)) continue;
    unknown += (unknown.empty() ? "\"" : ", \"") + name + "\"";
  }
  if (!unknown.empty()) {
    lines += "warn: some health checks cannot be excluded: no matches for " + unknown + "\n";
  }
  if (ask.endpoint == "readyz" && ask.verbose && ask.check.empty()) {
    MutexLock lock(mutex_);
    for (const auto& [name, texts] : notes_) lines += "[!]" + name + " details withheld\n";
  }
  const std::string end = ask.endpoint + " check ";
  if (failed) return plain(500, lines + end + "failed\n");
  if (!ask.verbose) return plain(200, ask.standby ? "ok (standby)" : "ok");
  return plain(200, lines + (ask.standby ? "standby\n" : "") + end + "passed\n");
}

}  // namespace davit::host
