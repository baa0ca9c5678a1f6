// Many swaps in a row. By hand: DAVIT_SWAPS=10000 DAVIT_SWAP_PODS=20000 swap_test
// --gtest_filter='*Soak*'
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "tests/host/swap/swap_fixture.hpp"

namespace davit::host {
namespace {

int number(const char* variable, int otherwise) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? otherwise : std::atoi(value);
}

int entries(const char* directory) {
  int count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator(directory)) ++count;
  return count;
}

/// What a process has of the kernel.
struct Holdings {
  int descriptors = entries("/proc/self/fd");
  int threads = entries("/proc/self/task");
  int libraries = 0;
  long resident_kib = 0;

  Holdings() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      libraries += line.find(".so") != std::string::npos ? 1 : 0;
    }
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages >> pages;
    resident_kib = pages * (::sysconf(_SC_PAGESIZE) / 1024);
  }
};

TEST_F(SwapTest, SoakLeavesNothingBehind) {
  constexpr int kWarmUp = 5;  // Allocators and the loader keep what they once needed.
  const int swaps = number("DAVIT_SWAPS", 30);
  pods_.size = number("DAVIT_SWAP_PODS", 200);
  place("quiet");
  start_without_waiting();
  std::chrono::steady_clock::time_point drained;
  std::vector<double> pauses;
  on_phase_ = [&](SwapPhase phase) {
    const auto now = std::chrono::steady_clock::now();
    if (phase == SwapPhase::kHandOver) drained = now;
    if (phase != SwapPhase::kServe) return;
    pauses.push_back(std::chrono::duration<double, std::milli>(now - drained).count());
  };

  std::optional<Holdings> before;
  for (int i = 0; i < kWarmUp + swaps; ++i) {
    if (i == kWarmUp) before.emplace();
    const SwapReport report = swap();
    ASSERT_TRUE(report.ok()) << i << ": " << report.text;
    ASSERT_EQ(report.resident, "") << i;
  }
  const Holdings after;

  EXPECT_EQ(after.descriptors, before->descriptors);
  EXPECT_EQ(after.libraries, before->libraries);
  // A build starts its worker with the first key, which may be just now.
  EXPECT_LE(std::abs(after.threads - before->threads), 1);
  EXPECT_EQ(pods_.requests(), 2) << "one list and one watch, those of the start";
  std::sort(pauses.begin(), pauses.end());
  std::cout << swaps << " swaps with " << pods_.size << " pods: pause p50 "
            << pauses[pauses.size() / 2] << " ms, p99 " << pauses[pauses.size() * 99 / 100]
            << " ms, longest " << pauses.back() << " ms; resident memory " << before->resident_kib
            << " KiB before, " << after.resident_kib << " KiB after\n";
}

}  // namespace
}  // namespace davit::host
