/// One Lease on a pretended server, with versions and conflicts, and with faults on demand.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/election/lease.hpp"
#include "host/election/lease_api.hpp"
#include "lib/base/mutex.hpp"

namespace davit::test {

/// Thread-safe; several candidates may use one.
class FakeLeaseServer final : public host::LeaseApi {
 public:
  Result<std::string> get(Duration timeout, std::stop_token) override {
    return respond("GET", timeout, [this]() REQUIRES(mutex_) -> Result<std::string> {
      if (document_.empty()) return refusal(Code::kNotFound, 404);
      return document_;
    });
  }

  Result<std::string> create(const std::string& body, Duration timeout, std::stop_token) override {
    return respond("POST", timeout, [&]() REQUIRES(mutex_) -> Result<std::string> {
      if (!document_.empty()) return refusal(Code::kAlreadyExists, 409);
      store(body);
      return document_;
    });
  }

  Result<std::string> update(const std::string& body, Duration timeout, std::stop_token) override {
    return respond("PUT", timeout, [&]() REQUIRES(mutex_) -> Result<std::string> {
      if (document_.empty()) return refusal(Code::kNotFound, 404);
      const Result<host::Lease> lease = host::parse_lease(body);
      if (!lease || lease->resource_version != std::to_string(version_)) {
        return refusal(Code::kConflict, 409);
      }
      store(body);
      return document_;
    });
  }

  /// Puts a Lease there, or none ("").
  void set(std::string json) {
    MutexLock lock(mutex_);
    json.empty() ? document_.clear() : store(json);
  }
  /// As from a backup: what document() returned earlier, or nothing at version 0 ("").
  void restore(const std::string& document) {
    MutexLock lock(mutex_);
    document_ = document;
    version_ = document.empty() ? 0 : std::stoi(host::parse_lease(document)->resource_version);
  }
  [[nodiscard]] std::string document() const {
    MutexLock lock(mutex_);
    return document_;
  }
  [[nodiscard]] host::LeaseRecord record() const { return host::parse_lease(document())->record; }

  /// Every request from now on fails with this; nothing: the server responds again.
  void fail(std::optional<Status> status) {
    MutexLock lock(mutex_);
    failure_ = std::move(status);
  }
  /// Called, without a lock, for each request before it is answered: a place to let time pass.
  void before_response(std::function<void(Duration timeout)> what) {
    MutexLock lock(mutex_);
    before_ = std::move(what);
  }

  /// "GET", "POST" and "PUT" in their order, and forgets them.
  std::vector<std::string> take_requests() {
    MutexLock lock(mutex_);
    return std::exchange(requests_, {});
  }
  void await_requests(std::size_t count) {
    MutexLock lock(mutex_);
    while (requests_.size() < count) responded_.wait(mutex_);
  }

 private:
  template <typename Reply>
  Result<std::string> respond(const char* verb, Duration timeout, Reply normal) {
    std::function<void(Duration)> before;
    {
      MutexLock lock(mutex_);
      before = before_;
    }
    if (before) before(timeout);
    MutexLock lock(mutex_);
    requests_.emplace_back(verb);
    responded_.notify_all();
    if (failure_) return *failure_;
    return normal();
  }

  static Status refusal(Code code, int http_status) {
    ApiDetail detail;
    detail.http_status = http_status;
    return {code, "refused", detail};
  }

  void store(const std::string& body) REQUIRES(mutex_) {
    const std::string old = "\"resourceVersion\":\"" + std::to_string(version_) + "\"";
    const std::string fresh = "\"resourceVersion\":\"" + std::to_string(++version_) + "\"";
    document_ = body;
    const std::size_t at = document_.find(old);
    if (at != std::string::npos) {
      document_.replace(at, old.size(), fresh);
    } else {
      document_.insert(document_.find("\"metadata\":{") + 12, fresh + ",\"uid\":\"u1\",");
    }
  }

  mutable Mutex mutex_;
  CondVar responded_;
  std::string document_ GUARDED_BY(mutex_);
  int version_ GUARDED_BY(mutex_) = 0;
  std::optional<Status> failure_ GUARDED_BY(mutex_);
  std::function<void(Duration)> before_ GUARDED_BY(mutex_);
  std::vector<std::string> requests_ GUARDED_BY(mutex_);
};

}  // namespace davit::test
