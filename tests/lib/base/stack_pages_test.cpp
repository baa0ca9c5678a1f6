#include "lib/base/stack_pages.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <thread>

#include "lib/base/unique_fd.hpp"

namespace davit {
namespace {

// Larger than the frames that AddressSanitizer may put elsewhere.
constexpr std::size_t kDeepBytes = 256 * 1024;

bool is_on_a_present_page(std::uintptr_t address) {
  const UniqueFd pagemap(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  std::uint64_t entry = 0;
  const auto page = address / static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  EXPECT_EQ(pread(pagemap.get(), &entry, sizeof entry, static_cast<off_t>(page * sizeof entry)),
            static_cast<ssize_t>(sizeof entry));
  return (entry >> 63) != 0;
}

/// Writes far below the caller's frame; the lowest address there.
[[gnu::noinline]] std::uintptr_t call_deeply() {
  volatile char deep[kDeepBytes];  // NOLINT: filled below.
  for (std::size_t i = 0; i < kDeepBytes; ++i) deep[i] = 'd';
  return reinterpret_cast<std::uintptr_t>(&deep[0]);
}

TEST(StackPagesTest, PagesOfDeeperCallsAreReleasedAndThoseOfCallersStay) {
  std::uintptr_t deep = 0;
  bool was_present = false;
  bool is_present = true;
  int own_after = 0;
  std::thread thread([&] {
    volatile int own = 7;
    deep = call_deeply();
    was_present = is_on_a_present_page(deep);

    release_stack_pages();

    is_present = is_on_a_present_page(deep);
    own_after = own;
  });
  thread.join();

  EXPECT_TRUE(was_present);
  EXPECT_FALSE(is_present);
  EXPECT_EQ(own_after, 7);
}

TEST(StackPagesTest, DeepCallsWorkAsBeforeAfterwards) {
  bool is_present = false;
  std::thread thread([&] {
    (void)call_deeply();
    release_stack_pages();

    is_present = is_on_a_present_page(call_deeply());
  });
  thread.join();

  EXPECT_TRUE(is_present);
}

TEST(StackPagesTest, TheMainThreadKeepsItsStack) {
  ASSERT_EQ(getpid(), gettid());
  const std::uintptr_t deep = call_deeply();

  release_stack_pages();

  EXPECT_TRUE(is_on_a_present_page(deep));
}

}  // namespace
}  // namespace davit
