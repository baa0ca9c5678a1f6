/// davit as its main program runs it: started, ticked, stopped.
#pragma once

#include <atomic>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "host/process/host_plan.hpp"
#include "host/process/host_process.hpp"
#include "host/process/needed_rights.hpp"
#include "lib/base/mutex.hpp"
#include "lib/kube/json.hpp"

namespace davit::test {

/// Settings other than the manifest's defaults.
struct HostOptions {
  std::vector<std::string> controllers = {"deployment-controller", "replicaset-controller"};
  /// The directories of plugins; empty: davit's own.
  std::vector<std::string> plugin_directories;
  /// Controllers' settings, by plugin and controller.
  struct Config {
    std::string plugin;
    std::string controller;
    std::string json;
  };
  std::vector<Config> configs;
  enum class Election { kOff, kOn } election = Election::kOff;
  std::string content_type = host::kContentTypeProtobuf;
  /// kOneEach: each controller is a client with its own ServiceAccount.
  host::Accounts accounts = host::Accounts::kTheHosts;
  /// Off, so that tests can count requests.
  host::HostSeams::Rights rights = host::HostSeams::Rights::kAssumed;
  /// The directory of what it leaves to the next one; empty: nothing.
  std::string state = {};
};

/// The roles that `davit rbac` prints for this host.
[[nodiscard]] std::vector<Json> printed_roles(const HostOptions& options);

/// The host on a thread of its own, so that the test's thread moves the time.
class HostThread {
 public:
  /// Starts at once. What the seams name outlives it.
  HostThread(const HostOptions& options, const host::HostSeams& seams);
  /// finished() must be true.
  ~HostThread();
  HostThread(const HostThread&) = delete;
  HostThread& operator=(const HostThread&) = delete;

  /// start() has returned, and how.
  [[nodiscard]] std::optional<Status> started() const EXCLUDES(mutex_);
  /// Keys in its queues; once it has started.
  [[nodiscard]] std::size_t waiting();
  /// The output of `davit ctl status`, and a page of its health server; once it has started.
  [[nodiscard]] std::string status();
  [[nodiscard]] std::string page(const std::string& target);
  /// Puts another copy of a plugin in its place, which waits for the syncs of the present one. Any
  /// thread; once it has started.
  [[nodiscard]] host::SwapReport swap(const std::string& plugin);
  /// Asks it to end; it needs time for that.
  void stop() EXCLUDES(mutex_);
  /// Whether it has ended, and all its syncs in time.
  [[nodiscard]] std::optional<bool> ended() const EXCLUDES(mutex_);

 private:
  void run(const std::stop_token& stop) EXCLUDES(mutex_);

  const host::HostSeams seams_;
  std::optional<host::LeaseHolders> holders_;
  std::optional<host::HostPlan> plan_;
  std::unique_ptr<host::HostProcess> host_;
  mutable Mutex mutex_;
  CondVar stopping_;
  std::optional<Status> started_ GUARDED_BY(mutex_);
  std::optional<bool> ended_ GUARDED_BY(mutex_);
  std::jthread thread_;  // Last: it uses all of the above.
};

}  // namespace davit::test
