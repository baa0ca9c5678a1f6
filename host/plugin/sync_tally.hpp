/// Counts the outcomes of a build's syncs.
#pragma once

#include <davit/abi.h>

#include <atomic>
#include <cstdint>

namespace davit::host {

struct SyncTally {
  std::uint64_t syncs = 0;
  /// Syncs that ended with neither OK nor a conflict, and were not cancelled.
  std::uint64_t errors = 0;
  /// Calls that threw, or ended with DAVIT_INTERNAL, with which the SDKs report an exception.
  std::uint64_t faults = 0;

  SyncTally& operator+=(const SyncTally& other) {
    syncs += other.syncs;
    errors += other.errors;
    faults += other.faults;
    return *this;
  }
};

/// Counts. Thread-safe; relaxed, because the numbers carry no other data.
class SyncCounter {
 public:
  void ended(davit_code code) {
    if (code == DAVIT_CANCELLED) return;
    add(syncs_);
    if (code != DAVIT_OK && code != DAVIT_CONFLICT) add(errors_);
    if (code == DAVIT_INTERNAL) add(faults_);
  }
  /// Counts a throw outside a sync.
  void threw() { add(faults_); }

  [[nodiscard]] SyncTally tally() const {
    return {syncs_.load(std::memory_order_relaxed), errors_.load(std::memory_order_relaxed),
            faults_.load(std::memory_order_relaxed)};
  }

 private:
  static void add(std::atomic<std::uint64_t>& count) {
    count.fetch_add(1, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> syncs_{0};
  std::atomic<std::uint64_t> errors_{0};
  std::atomic<std::uint64_t> faults_{0};
};

}  // namespace davit::host
