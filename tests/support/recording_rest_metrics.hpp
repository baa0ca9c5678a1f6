/// RestMetrics that a test can read.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "host/transport/rest_metrics.hpp"
#include "lib/base/mutex.hpp"

namespace davit::test {

/// Counts by name and labels: "requests 429 GET fake:6443". Thread-safe.
class RecordingRestMetrics final : public host::RestMetrics {
 public:
  void request_done(std::string_view code, std::string_view method,
                    std::string_view host) override {
    count({"requests", code, method, host});
  }
  void request_retried(std::string_view code, std::string_view verb,
                       std::string_view host) override {
    count({"retries", code, verb, host});
  }
  void request_duration(std::string_view verb, std::string_view host, Duration) override {
    count({"duration", verb, host});
  }
  void limiter_duration(std::string_view verb, std::string_view host, Duration) override {
    count({"limiter", verb, host});
  }
  void request_size(std::string_view verb, std::string_view host, std::size_t) override {
    count({"request_size", verb, host});
  }
  void response_size(std::string_view verb, std::string_view host, std::size_t) override {
    count({"response_size", verb, host});
  }
  void ca_reloaded(std::string_view result, std::string_view reason) override {
    count({"ca_reload", result, reason});
  }
  void exec_plugin_called(int, std::string_view call_status) override {
    count({"exec", call_status});
  }
  void exec_plugin_expires(WallTime) override { count({"exec_expires"}); }

  /// The count under this name.
  [[nodiscard]] int of(const std::string& name) const {
    MutexLock lock(mutex_);
    const auto found = counts_.find(name);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  void count(std::initializer_list<std::string_view> parts) {
    std::string name;
    for (const std::string_view part : parts) {
      if (!name.empty()) name += ' ';
      name += part;
    }
    MutexLock lock(mutex_);
    ++counts_[name];
  }

  mutable Mutex mutex_;
  std::map<std::string, int> counts_ GUARDED_BY(mutex_);
};

}  // namespace davit::test
