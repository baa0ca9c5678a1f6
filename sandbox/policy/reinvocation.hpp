/// Reinvocation: which mutating policies or webhooks run again in the second pass of admission.
#pragma once

#include <set>
#include <string>

#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// Admission runs a second time if something in it has changed the object. Built-in rules run again
/// then; of policies and webhooks only those that ask for it, and only if the object has changed
/// since they ran. One of these for each kind of them and for each write.
/// k8s: admission/reinvocation.go and the reinvocationcontext.go of the plugins.
class Reinvocation {
 public:
  /// Before the policies or webhooks of a pass.
  void begin(const Json& object) {
    if (second_ && object != last_) require();
  }
  /// After them.
  void end(const Json& object) { last_ = object; }
  /// The next pass is the second.
  void repeat() { second_ = true; }

  /// Whether the one with this key runs in this pass.
  [[nodiscard]] bool runs(const std::string& key) const { return !second_ || due_.contains(key); }
  /// It has run, and asks to run again if the object changes.
  void add(const std::string& key) { ran_.insert(key); }
  /// The object has changed.
  void changed() {
    require();
    wanted_ = true;
  }
  /// Whether there is to be a second pass.
  [[nodiscard]] bool wanted() const { return wanted_; }

 private:
  void require() {
    due_.merge(ran_);
    ran_.clear();
  }

  bool second_ = false;
  bool wanted_ = false;
  Json last_;
  std::set<std::string> ran_;
  std::set<std::string> due_;
};

}  // namespace davit::sandbox
