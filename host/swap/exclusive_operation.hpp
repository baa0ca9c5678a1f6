/// An exclusive operation on a PluginSet. Internal to host/swap.
#pragma once

#include <string>
#include <utility>

#include "host/swap/plugin_set.hpp"

namespace davit::host {

/// One at a time; the destructor ends it.
class PluginSet::ExclusiveOperation {
 public:
  ExclusiveOperation(PluginSet& set, std::string what) : set_(set) {
    MutexLock lock(set_.mutex_);
    if (set_.stopping_) {
      refused_ = SwapOutcome::kStopping;
      why_ = "the host is stopping";
    } else if (!set_.busy_.empty()) {
      refused_ = SwapOutcome::kBusy;
      why_ = set_.busy_ + " is under way: try again when it has ended";
    } else {
      set_.busy_ = std::move(what);
      held_ = Held::kYes;
    }
  }
  ExclusiveOperation(const ExclusiveOperation&) = delete;
  ExclusiveOperation& operator=(const ExclusiveOperation&) = delete;
  ~ExclusiveOperation() {
    if (held_ == Held::kNo) return;
    std::vector<Resident> residents = set_.retirement_.residents();
    MutexLock lock(set_.mutex_);
    set_.residents_ = std::move(residents);
    set_.busy_.clear();
    set_.idle_.notify_all();
  }

  [[nodiscard]] bool held() const { return held_ == Held::kYes; }
  /// Why it is not held.
  [[nodiscard]] SwapOutcome refused() const { return refused_; }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  enum class Held { kNo, kYes };

  PluginSet& set_;
  Held held_ = Held::kNo;
  SwapOutcome refused_ = SwapOutcome::kDone;
  std::string why_;
};

}  // namespace davit::host
