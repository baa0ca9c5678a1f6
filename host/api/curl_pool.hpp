/// Requests through a proxy of plain HTTP, over libcurl, and the thread that drives them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "host/api/curl_transfer.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Owns a libcurl multi handle and, from the first request on, the thread that alone touches it.
/// Other threads hand it notes (start, cancel, resume) and wake it. Thread-safe; outlives its
/// calls.
class CurlPool {
 public:
  explicit CurlPool(const CurlSettings& settings);
  /// Requires that all calls have been destroyed.
  ~CurlPool();
  CurlPool(const CurlPool&) = delete;
  CurlPool& operator=(const CurlPool&) = delete;

  /// Implements Transport::start(), with the TLS material. If the system has no thread, the request
  /// ends at once with Break::kRefused; the next one tries to start the thread again.
  [[nodiscard]] std::unique_ptr<Call> start(HttpRequest request,
                                            std::shared_ptr<const TlsMaterial> tls,
                                            ResponseReader& reader) EXCLUDES(mutex_);

  /// Ends every request that uses another client certificate than `cert`.
  void drop_other_certificates(const std::string& cert) EXCLUDES(mutex_);

 private:
  using Id = std::uint64_t;
  class Started;
  class Unstarted;
  struct Notes {
    std::vector<std::unique_ptr<CurlTransfer>> starts;
    std::vector<Id> cancels;
    std::vector<Id> resumes;
    std::string only_certificate;  // Empty: no such note.
  };

  /// Starts the pool's thread unless it runs; false when the system gives none.
  [[nodiscard]] bool ensure_thread() EXCLUDES(mutex_);
  void cancel(Id id) EXCLUDES(mutex_);
  void resume(Id id) EXCLUDES(mutex_);

  /// After a note: whether the caller must wake the thread after it released the lock.
  [[nodiscard]] bool must_wake() REQUIRES(mutex_);
  void wake() { curl_multi_wakeup(multi_.get()); }

  // On the pool's thread:
  void run(const std::stop_token& stop);
  Notes take_notes() EXCLUDES(mutex_);
  void handle(Notes notes);
  void sleep() EXCLUDES(mutex_);
  void begin(std::unique_ptr<CurlTransfer> transfer);
  void collect_finished();
  void finish(Id id, const TransportEnd& end) EXCLUDES(mutex_);
  void retire(Id id);
  void forget(Id id) EXCLUDES(mutex_);

  const CurlSettings& settings_;
  const CurlMulti multi_;

  // The pool's thread alone:
  std::unordered_map<Id, std::unique_ptr<CurlTransfer>> transfers_;
  std::vector<CurlEasy> idle_handles_;

  Mutex mutex_;
  CondVar forgotten_;
  Notes notes_ GUARDED_BY(mutex_);
  bool has_notes_ GUARDED_BY(mutex_) = false;
  bool asleep_ GUARDED_BY(mutex_) = false;          // In poll(), and not woken yet.
  std::unordered_set<Id> live_ GUARDED_BY(mutex_);  // Transfers that may still call their reader.
  Id ending_ GUARDED_BY(mutex_) = 0;  // The one whose reader is being notified of the end.
  Id last_id_ GUARDED_BY(mutex_) = 0;
  std::jthread thread_;  // Started under mutex_, ended by the destructor.
};

}  // namespace davit::host
