#include "host/health/cpu_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <span>
#include <string>
#include <thread>
#include <vector>

// The linker gives the bounds of the section that only burn() is in.
extern "C" const char __start_davit_burn[];  // NOLINT
extern "C" const char __stop_davit_burn[];   // NOLINT

namespace davit::host {
namespace {

using testing::HasSubstr;

// The thread sanitizer calls signal handlers on a stack that does not show the callers.
#if defined(__SANITIZE_THREAD__)
constexpr bool kHasCallers = false;
#else
constexpr bool kHasCallers = true;
#endif

/// Uses the CPU for 300 ms of this thread's CPU time, however busy the machine is.
[[gnu::noinline, gnu::section("davit_burn")]] std::uint64_t burn() {
  std::uint64_t sum = 0;
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  const std::int64_t end = used.tv_sec * 1'000'000'000 + used.tv_nsec + 300'000'000;
  while (used.tv_sec * 1'000'000'000 + used.tv_nsec < end) {
    for (std::uint64_t i = 0; i < 2'000'000; ++i) {
      sum = sum * 31 + i;
      asm volatile("" : "+r"(sum));
    }
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  }
  return sum;
}

bool is_in_burn(std::uintptr_t address) {
  return address >= reinterpret_cast<std::uintptr_t>(__start_davit_burn) &&
         address < reinterpret_cast<std::uintptr_t>(__stop_davit_burn);
}

/// A profile as its readers take it apart.
struct Parsed {
  std::vector<std::uintptr_t> header;
  std::vector<std::vector<std::uintptr_t>> stacks;
  std::string maps;
};

Parsed parse(const std::string& profile) {
  Parsed out;
  std::size_t at = 0;
  const auto next = [&] {
    std::uintptr_t word = 0;
    if (at + sizeof(word) > profile.size()) return word;
    std::memcpy(&word, profile.data() + at, sizeof(word));
    at += sizeof(word);
    return word;
  };
  for (int i = 0; i < 5; ++i) out.header.push_back(next());
  while (at < profile.size()) {
    const std::uintptr_t count = next();
    std::vector<std::uintptr_t> stack(std::min<std::uintptr_t>(next(), 1000));
    for (std::uintptr_t& each : stack) each = next();
    if (count == 0) break;
    out.stacks.push_back(std::move(stack));
  }
  out.maps = profile.substr(at);
  return out;
}

TEST(CpuProfileTest, ABusyThreadIsInItWithItsCallers) {
  Result<CpuProfile> profile = CpuProfile::start();
  ASSERT_TRUE(profile) << profile.error().message();
  std::jthread([] { (void)burn(); }).join();
  const Parsed parsed = parse(profile->finish());

  EXPECT_THAT(parsed.header, testing::ElementsAre(0, 3, 0, 10'000, 0));
  const auto busy = std::ranges::count_if(
      parsed.stacks, [](const auto& stack) { return !stack.empty() && is_in_burn(stack[0]); });
  EXPECT_GE(busy, 5);
  const bool has_callers = std::ranges::any_of(parsed.stacks, [](const auto& stack) {
    return stack.size() > 2 && is_in_burn(stack[0]) && !is_in_burn(stack[1]);
  });
  EXPECT_TRUE(has_callers || !kHasCallers);
  EXPECT_THAT(parsed.maps, HasSubstr("libc.so"));
}

TEST(CpuProfileTest, OneIsTakenAtATime) {
  {
    const Result<CpuProfile> first = CpuProfile::start();
    ASSERT_TRUE(first);
    EXPECT_EQ(CpuProfile::start().error().code(), Code::kConflict);
  }
  EXPECT_TRUE(CpuProfile::start()) << "the end of the first one allows another";
}

TEST(CpuProfileTest, AfterItsEndSignalsDoNothing) {
  (void)CpuProfile::start();
  EXPECT_EQ(::raise(SIGPROF), 0);  // Without a handler this ends the process.
}

}  // namespace
}  // namespace davit::host
