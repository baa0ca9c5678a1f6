/// The observers of a trial host. Internal to cli/validate.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/validate/trial_host.hpp"
#include "host/cache/change.hpp"
#include "host/cache/informer.hpp"
#include "host/object/field_path.hpp"
#include "host/plugin/controller_options.hpp"
#include "host/plugin/note_use.hpp"
#include "host/run/code_name.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/http_message.hpp"
#include "lib/net/transport.hpp"
#include "sandbox/rest/url.hpp"

namespace davit::host {

/// Keeps what a plugin did wrong. Thread-safe.
class LoggedProblems final : public LogSink {
 public:
  [[nodiscard]] int verbosity() const override { return 0; }
  void write(Severity severity, int, std::string_view logger, std::string_view message,
             std::span<const LogPair> fields) override EXCLUDES(mutex_) {
    if (severity == Severity::kInfo) return;
    LoggedProblem problem{std::string(message), std::string(logger) + ": " + std::string(message),
                          "", "", ""};
    for (const LogPair& field : fields) {
      problem.text.append(" ").append(field.key).append("=").append(field.text());
      if (field.key == "err") problem.error = field.text();
      if (field.key == "code") problem.code = field.text();
      if (field.key == "key") problem.key = field.text();
    }
    MutexLock lock(mutex_);
    if (all_.size() < kMost) all_.push_back(std::move(problem));
  }
  void flush() override {}
  std::vector<LoggedProblem> take() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return std::exchange(all_, {});
  }

 private:
  static constexpr std::size_t kMost = 10'000;  // A plugin may fail as often as it likes.
  Mutex mutex_;
  std::vector<LoggedProblem> all_ GUARDED_BY(mutex_);
};

/// Records the controllers' own requests.
class RecordingTransport final : public Transport {
 public:
  RecordingTransport(Transport& next, Clock& clock) : next_(next), clock_(clock) {}
  [[nodiscard]] std::unique_ptr<Call> start(HttpRequest request, ResponseReader& reader) override
      EXCLUDES(mutex_) {
    if (request.purpose == ConnectionPurpose::kWrite) {
      MutexLock lock(mutex_);
      ++requests_;
      last_ = clock_.now();
      record(request);
    }
    return next_.start(std::move(request), reader);
  }
  [[nodiscard]] bool is_ready() override { return next_.is_ready(); }
  [[nodiscard]] Status prepare() override { return next_.prepare(); }
  [[nodiscard]] std::string_view server() const override { return next_.server(); }
  [[nodiscard]] std::size_t count() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return requests_;
  }
  /// The writes so far.
  [[nodiscard]] TrialWrites writes() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return writes_;
  }
  [[nodiscard]] NoteUse use() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return use_;
  }
  /// Waits until no request has begun for `quiet`, counted from `since` at the earliest. False when
  /// `give_up` comes first.
  [[nodiscard]] bool wait_quiet(Time since, Duration quiet, Time give_up) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    for (;;) {
      const Time due = std::max(since, last_) + quiet;
      const Time now = clock_.now();
      if (now >= due) return true;
      if (now >= give_up) return false;
      clock_.wait_until(due_, mutex_, std::min(due, give_up));
    }
  }

 private:
  static const char* verb_of(const std::string& method, bool named) {
    if (method == "POST") return "create";
    if (method == "PUT") return "update";
    if (method == "PATCH") return "patch";
    if (method == "DELETE") return named ? "delete" : "deletecollection";
    return named ? "get" : "list";
  }
  void record(const HttpRequest& request) REQUIRES(mutex_) {
    const auto url = sandbox::parse_url(request.target);
    if (!url || !url->is_resource) return;
    use_.requested({verb_of(request.method, !url->name.empty()), url->group, url->resource,
                    url->subresource, url->ns, url->name});
    if (request.method == "GET") return;
    ++writes_.by_namespace[url->ns];
    for (const auto& [name, value] : request.headers) {
      if (name != "User-Agent") continue;
      ++writes_.by_client[value.substr(value.rfind('/') + 1)];
    }
  }

  Transport& next_;
  Clock& clock_;
  mutable Mutex mutex_;
  CondVar due_;  // Never notified: a request moves the end of a wait, which time alone brings.
  std::size_t requests_ GUARDED_BY(mutex_) = 0;
  Time last_ GUARDED_BY(mutex_){};
  TrialWrites writes_ GUARDED_BY(mutex_);
  NoteUse use_ GUARDED_BY(mutex_);
};

/// Observes the controllers. Thread-safe.
class TrialObserver final : public ControllerObserver, public ReadObserver {
 public:
  void synced(std::string_view controller, std::string_view, const SyncOutcome&) override
      EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ++syncs_[std::string(controller)];
  }
  void logged(std::int32_t, std::string_view, std::span<const LogPair>) override {}
  void recorded(const Reference&, std::string_view, std::string_view, std::string_view) override {}
  void measured(std::string_view, double, std::span<const std::string_view>) override {}
  void refused(std::string_view, std::string_view why) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ++breaches_.refusals[std::string(why)];
  }
  void misused(std::string_view, const Misuse& misuse) override EXCLUDES(mutex_) {
    std::string text =
        std::string(misuse.function) + "() answered " + std::string(code_name(misuse.code));
    MutexLock lock(mutex_);
    // The host reports a call in a wrong phase both ways.
    if (!misuse.why.empty()) {
      breaches_.refusals.erase(std::string(misuse.why));
      text.append(": ").append(misuse.why);
    }
    auto& breaches = misuse.code == DAVIT_MISUSE ? breaches_.misuses : breaches_.stale;
    ++breaches[std::move(text)];
  }
  void reached(const ObjectSpace& space, Mask place, std::string_view member) override
      EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (!reached_.emplace(place, member).second) return;
    space_ = &space;
  }

  /// Since the last call.
  [[nodiscard]] TrialBreaches take() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return std::exchange(breaches_, {});
  }
  [[nodiscard]] int syncs(const std::string& controller) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = syncs_.find(controller);
    return found == syncs_.end() ? 0 : found->second;
  }
  /// The declared paths below `root` that were read.
  [[nodiscard]] std::set<std::string> read_paths(Mask root) const EXCLUDES(mutex_) {
    std::set<std::string> out;
    MutexLock lock(mutex_);
    for (const auto& [place, member] : reached_) {
      auto [top, path] = space_->location_of(place);
      if (top != root) continue;
      if (member.empty()) {
        path += "[]";
      } else {
        add_member(path, member);
      }
      out.insert(std::move(path));
    }
    return out;
  }

 private:
  mutable Mutex mutex_;
  std::map<std::string, int> syncs_ GUARDED_BY(mutex_);
  TrialBreaches breaches_ GUARDED_BY(mutex_);
  std::set<std::pair<Mask, std::string>> reached_ GUARDED_BY(mutex_);
  const ObjectSpace* space_ GUARDED_BY(mutex_) = nullptr;  // The host's, which outlives its use.
};

}  // namespace davit::host
