/// The parts of kube-controller-manager without which deletion and pods do not work.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/base/mutex.hpp"
#include "sandbox/controllers/collection_watcher.hpp"
#include "sandbox/controllers/controller.hpp"

namespace davit::sandbox {

class Aggregation;

enum class Switch : std::uint8_t { kOff, kOn };

struct ControllerOptions {
  Switch garbage_collector = Switch::kOn;
  /// Empties namespaces that are being deleted, and lets them go.
  Switch namespaces = Switch::kOn;
  Switch event_expiry = Switch::kOn;
  /// Binds claims to volumes that exist in name only. Off, as in envtest.
  Switch volumes = Switch::kOff;
  /// The ServiceAccount `default` in each namespace. Off, as in envtest: few tests want it.
  Switch default_accounts = Switch::kOff;
  /// The ConfigMap kube-root-ca.crt in each namespace; empty: none.
  std::string root_ca;
  /// Null: nothing observes APIServices. Borrowed; must outlive the controllers.
  Aggregation* aggregation = nullptr;
};

/// Runs all controllers on one thread: a test steps them on its clock, a program calls run().
/// step() and run() belong to one thread.
class Controllers {
 public:
  Controllers(ControllerParts parts, const ControllerOptions& options);

  /// Does the work that is due and everything that follows from it. Returns when to call it again
  /// even if nothing changes; Time::max(): never.
  Time step(Time now);
  /// Steps whenever there is something to do, until `stop` is requested.
  void run(const std::stop_token& stop) EXCLUDES(mutex_);

 private:
  void follow_all();
  /// Whether there was anything.
  bool observe_some();
  void wake() EXCLUDES(mutex_);

  const ControllerParts parts_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  std::shared_ptr<const ResourceSet> followed_;

  Mutex mutex_;
  CondVar woken_cond_;
  bool woken_ GUARDED_BY(mutex_) = false;
  CollectionWatcher watcher_;  // Last: it calls wake().
};

}  // namespace davit::sandbox
