// Many swaps in a row, under churn. By hand: DAVIT_SWAPS=10000 DAVIT_SWAP_PODS=20000 swap_test
// --gtest_filter='*Soak*'
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "tests/host/swap/samples/tally.h"
#include "tests/host/swap/swap_fixture.hpp"
#include "tests/support/swap_holdings.hpp"

namespace davit::host {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

/// Changes of pods at each step of a swap that is not part of the pause.
constexpr int kBurst = 5;
/// Longer than any machine takes for what is waited for.
constexpr std::chrono::minutes kWaitLimit{2};

/// Noise of each measure: free lists of threads, arenas. Seen: 9 KiB, 170 KiB and 5 maps.
constexpr long kHeapNoise = 64L * 1024;
constexpr long kPagesNoise = 2L * 1024 * 1024;
/// Every key may wait at once, and leaves its pages scattered. Seen: 400 bytes with 20,000 pods.
constexpr long kPagesNoisePerPod = 600;
constexpr int kMapsNoise = 16;

/// Milliseconds that a pause may last. Seen: 0.2. One in a hundred may be longer, and always
/// two: a busy machine delays one swap for so long, not each.
constexpr double kPauseMax = 1000;
constexpr std::size_t kLongPausesMax = 2;

int number(const char* variable, int otherwise) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? otherwise : std::atoi(value);
}

/// The allocated bytes of the heap; 0 under a sanitizer, which has a heap of its own.
std::size_t heap_bytes() { return ::mallinfo2().uordblks; }

double percentile(std::vector<double>& values, std::size_t percent) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, values.size() * percent / 100)];
}

/// The memory behind a swap_tally, and the versions that the server has sent.
struct Ledger {
  explicit Ledger(int keys)
      : running(static_cast<std::size_t>(keys)),
        seen(running.size()),
        changed(running.size()),
        waited(1U << 20),
        neighbour_seen(running.size()),
        sent(running.size(), 5) {
    tally.keys = static_cast<std::uint32_t>(keys);
    tally.running = running.data();
    tally.seen = seen.data();
    tally.neighbour_seen = neighbour_seen.data();
    tally.changed_ns = changed.data();
    tally.waited_ns = waited.data();
    tally.waits_max = waited.size();
  }

  [[nodiscard]] static std::uint64_t load(const std::uint64_t& place) {
    return __atomic_load_n(&place, __ATOMIC_SEQ_CST);
  }
  /// Keys whose last change no sync has seen.
  [[nodiscard]] std::size_t lost() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) count += load(seen[i]) < sent[i] ? 1 : 0;
    return count;
  }
  /// Whether it has synced the last change of each key in [first, end), counted as they change.
  [[nodiscard]] bool neighbour_has_seen(std::size_t first, std::size_t end) const {
    for (std::size_t i = first; i < end; ++i) {
      const std::size_t key = i % sent.size();
      if (load(neighbour_seen[key]) < sent[key]) return false;
    }
    return true;
  }
  /// The waiting times of the other controller's syncs, in milliseconds, from the `first` on.
  [[nodiscard]] std::vector<double> waits_from(std::uint64_t first) const {
    std::vector<double> out;
    for (std::uint64_t i = first; i < std::min(load(tally.waits), tally.waits_max); ++i) {
      out.push_back(static_cast<double>(waited[i]) / 1e6);
    }
    return out;
  }

  std::vector<std::uint32_t> running;
  std::vector<std::uint64_t> seen;
  std::vector<std::uint64_t> changed;
  std::vector<std::uint64_t> waited;
  std::vector<std::uint64_t> neighbour_seen;
  std::vector<std::uint64_t> sent;  // The server's; "5" is the list's.
  swap_tally tally{};
};

class SwapSoakTest : public SwapTest {
 protected:
  SwapSoakTest() { log_.set_verbosity(-1); }  // A line for each swap would be kept.

  /// The builds under test beside a neighbour that stays as it is.
  void begin(int pods) {
    pods_.size = pods;
    ledger_.emplace(pods);
    config_ = R"({"tally":)" + std::to_string(reinterpret_cast<std::uintptr_t>(&tally())) + "}";
    place("neighbour");
    const std::filesystem::path other = directory_.path() / "neighbour.so";
    std::filesystem::rename(file(), other);
    place("soak");
    start_without_waiting();
    ASSERT_TRUE(set_->load({other}).ok());
    ASSERT_TRUE(until([this] { return ledger_->lost() == 0; })) << "every pod is synced once";
  }
  [[nodiscard]] swap_tally& tally() { return ledger_->tally; }

  /// Changes some pods.
  void burst() {
    for (int i = 0; i < kBurst; ++i) {
      const std::size_t key = next_++ % ledger_->sent.size();
      ledger_->sent[key] = static_cast<std::uint64_t>(++version_);
      pods_.send(event_json("MODIFIED", {.name = key == 0 ? "a" : "pod-" + std::to_string(key),
                                         .version = std::to_string(version_)}));
    }
  }
  [[nodiscard]] static bool until(const std::function<bool()>& holds) {
    const SteadyTime end = std::chrono::steady_clock::now() + kWaitLimit;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }
  /// The neighbour's syncs while nothing is swapped, in milliseconds.
  std::vector<double> measure_alone(int bursts) {
    const std::uint64_t first = ledger_->load(tally().waits);
    for (int i = 0; i < bursts; ++i) {
      const std::uint64_t before = ledger_->load(tally().waits);
      burst();
      EXPECT_TRUE(until([&] { return ledger_->load(tally().waits) >= before + kBurst; }));
    }
    return ledger_->waits_from(first);
  }
  /// Waits until every change was synced and no key waits: so much is in memory at any rest.
  [[nodiscard]] bool becomes_idle() {
    return until([this] {
      std::size_t waiting = ledger_->lost();
      for (const PluginState& plugin : set_->serving().state().plugins) {
        for (const ControllerState& each : plugin.controllers) waiting += each.waiting;
      }
      return waiting == 0;
    });
  }
  void swap_once(int i) {
    const SwapReport report = swap();
    ASSERT_TRUE(report.ok()) << i << ": " << report.text;
    ASSERT_EQ(report.resident, "") << i;
    ASSERT_EQ(report.keys_dropped, 0U) << i;
    told_.clear();
    // From here on no older build may sync.
    __atomic_store_n(&tally().oldest, tally().builds, __ATOMIC_SEQ_CST);
  }
  /// Measures the pause, with changes in each step that is not part of it.
  void measure(SwapPhase phase) {
    if (phase == SwapPhase::kServe) {
      const auto pause = std::chrono::steady_clock::now() - drained_;
      pauses_.push_back(std::chrono::duration<double, std::milli>(pause).count());
    }
    if (phase != SwapPhase::kServe && phase != SwapPhase::kHandOver) burst();
    if (phase == SwapPhase::kState) drained_ = std::chrono::steady_clock::now();
  }
  /// Holds the swap in this step until the neighbour has synced what changes now.
  void expect_neighbour_goes_on(SwapPhase phase) {
    if (HasFatalFailure()) return;
    const std::size_t first = next_;
    burst();
    ASSERT_TRUE(until([&] { return ledger_->neighbour_has_seen(first, next_); }))
        << "the neighbour waits for the end of a swap that is at: " << to_string(phase);
  }
  /// Every other swap is measured; the others show that the neighbour does not wait for them.
  void swap_many(int swaps) {
    for (int i = 0; i < swaps && !HasFatalFailure(); ++i) {
      on_phase_ = [this, i](SwapPhase phase) {
        i % 2 == 0 ? measure(phase) : expect_neighbour_goes_on(phase);
      };
      swap_once(i);
    }
    on_phase_ = {};
  }
  /// A quantile of `pauses_`.
  void expect_short_pauses() const {
    const auto is_long = [](double pause) { return pause > kPauseMax; };
    EXPECT_LE(std::ranges::count_if(pauses_, is_long),
              std::max(kLongPausesMax, pauses_.size() / 100))
        << "of " << pauses_.size() << " pauses are longer than " << kPauseMax << " ms";
  }

  std::optional<Ledger> ledger_;
  std::size_t next_ = 0;
  SteadyTime drained_;
  std::vector<double> pauses_;  // In milliseconds.
};

TEST_F(SwapSoakTest, SoakLosesNothingAndLeavesNothingBehind) {
  constexpr int kWarmUp = 40;  // Allocators and the loader keep what they once needed.
  const int swaps = number("DAVIT_SWAPS", 30);
  begin(number("DAVIT_SWAP_PODS", 200));
  swap_many(kWarmUp);
  // A pod that was changed takes another size than one that was listed.
  for (int i = 0; i < pods_.size; i += kBurst) burst();
  std::vector<double> alone = measure_alone(swaps);
  const std::uint64_t first = ledger_->load(tally().waits);
  const std::uint64_t syncs = ledger_->load(tally().syncs);
  const int requests = pods_.requests();
  pauses_.clear();

  EXPECT_TRUE(becomes_idle());
  const test::Holdings before = test::Holdings::of("self");
  const std::size_t heap = heap_bytes();
  swap_many(swaps);
  if (HasFatalFailure()) return;
  EXPECT_TRUE(becomes_idle()) << ledger_->lost() << " keys lost";
  // The kernel lists a thread for a moment after it was joined.
  EXPECT_TRUE(until([&] { return test::Holdings::of("self").threads <= before.threads + 1; }));
  const std::size_t heap_after = heap_bytes();
  const test::Holdings after = test::Holdings::of("self");

  // A build starts its worker with the first key, which may be just now.
  const long pages = kPagesNoise + kPagesNoisePerPod * pods_.size;
  test::expect_swaps_leave_nothing(before, after, swaps,
                                   {.bytes = pages, .maps = kMapsNoise, .threads = 1});
  if (test::kMemoryIsTheProgramsOwn) {
    // The memory that swaps leave behind, besides what short-lived threads keep for a while.
    const long bytes = test::kBytesPerSwap * swaps;
    EXPECT_LE(static_cast<long>(heap_after) - static_cast<long>(heap), bytes + kHeapNoise);
    EXPECT_LE((after.resident_kib - before.resident_kib) * 1024, bytes + pages);
  }
  expect_short_pauses();
  EXPECT_EQ(requests, 2) << "one list and one watch, those of the start";
  EXPECT_EQ(pods_.requests(), requests);
  EXPECT_EQ(ledger_->load(tally().overlaps), 0U) << "a key was with two syncs at once";
  EXPECT_EQ(ledger_->load(tally().strays), 0U) << "an old build ran after its swap";
  EXPECT_GE(ledger_->load(tally().syncs) - syncs, static_cast<std::uint64_t>(swaps))
      << "keys went on being synced";
  std::vector<double> beside = ledger_->waits_from(first);
  std::cout << swaps << " swaps with " << pods_.size << " pods and " << beside.size()
            << " changes meanwhile: pause p50 " << percentile(pauses_, 50) << " ms, p99 "
            << percentile(pauses_, 99) << " ms, longest " << pauses_.back()
            << " ms\n  lists and watches caused: " << pods_.requests() - requests
            << ", keys lost: " << ledger_->lost()
            << ", with two syncs at once: " << ledger_->load(tally().overlaps)
            << ", with an old build: " << ledger_->load(tally().strays)
            << "\n  another controller's wait for a sync: p99 " << percentile(alone, 99)
            << " ms without swaps, " << percentile(beside, 99) << " ms with them\n  heap: " << heap
            << " bytes before, " << heap_after << " after\n  before: " << before
            << "\n  after:  " << after << "\n";
}

}  // namespace
}  // namespace davit::host
