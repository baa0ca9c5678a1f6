/// Credentials from a program that the user named.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "host/credentials/credentials.hpp"
#include "host/credentials/exec_plugin.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Runs the plugin at the first request, when its credentials expire, and before the first request
/// after a 401 for the current ones. One run at a time; requests that arrive during a run wait for
/// it and share its result, including a failure, so that a hanging plugin delays each of them once.
class ExecCredentials final : public Credentials {
 public:
  /// Longer than any login without a person takes.
  static constexpr std::chrono::milliseconds kRunLimit = std::chrono::minutes(1);

  [[nodiscard]] static Result<std::unique_ptr<Credentials>> open(const ConnectionConfig& config,
                                                                 Clock& clock, RestMetrics& metrics,
                                                                 Logger log);

  ExecCredentials(ExecConfig exec, std::string info, Clock& clock, RestMetrics& metrics,
                  Logger log);

  [[nodiscard]] Result<Credential> get() override EXCLUDES(mutex_);
  [[nodiscard]] bool is_ready() override EXCLUDES(mutex_);
  void rejected(const Credential& used) override EXCLUDES(mutex_);

 private:
  Result<ExecCredential> run() const;
  [[nodiscard]] bool is_current() const REQUIRES(mutex_);

  const ExecConfig exec_;
  const std::string info_;
  Clock& clock_;
  RestMetrics& metrics_;
  const Logger log_;

  Mutex mutex_;
  CondVar ran_;
  bool running_ GUARDED_BY(mutex_) = false;
  std::uint64_t runs_ GUARDED_BY(mutex_) = 0;  // That have ended.
  Status failure_ GUARDED_BY(mutex_);          // The last run's; success: none.
  std::optional<Credential> current_ GUARDED_BY(mutex_);
  std::optional<WallTime> expires_ GUARDED_BY(mutex_);
  std::uint64_t certificates_ GUARDED_BY(mutex_) =
      0;  // The number of certificates that the plugin has provided.
  std::optional<WallTime> certificate_since_ GUARDED_BY(mutex_);  // The latest certificate's.
};

}  // namespace davit::host
