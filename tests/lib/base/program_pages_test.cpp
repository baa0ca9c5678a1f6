#include "lib/base/program_pages.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "lib/base/unique_fd.hpp"

namespace davit {
namespace {

/// Read-only data. A fault maps the pages around it, too (Linux: 64 KiB), so the middle is far from
/// all that the program uses itself.
constexpr std::size_t kAround = 64 * 1024;
alignas(kAround) constexpr std::array<char, 5 * kAround> kData = {};
constexpr std::size_t kMiddle = 2 * kAround;

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

bool is_present(const void* address) {
  const UniqueFd pagemap(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  std::uint64_t entry = 0;
  const auto page = reinterpret_cast<std::uintptr_t>(address) / page_size();
  EXPECT_EQ(pread(pagemap.get(), &entry, sizeof entry, static_cast<off_t>(page * sizeof entry)),
            static_cast<ssize_t>(sizeof entry));
  return (entry >> 63) != 0;
}

/// As the compiler cannot foresee it.
char read(const char& at) { return *static_cast<const volatile char*>(&at); }

/// As a debugger writes a breakpoint: past the protection of the page.
void write(const char& at, char value) {
  const UniqueFd memory(open("/proc/self/mem", O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(
      pwrite(memory.get(), &value, 1, static_cast<off_t>(reinterpret_cast<std::uintptr_t>(&at))),
      1);
}

TEST(ProgramPagesTest, UnusedPagesAreReleasedAndReturnWhenUsed) {
  const char& data = kData[kMiddle];
  ASSERT_EQ(read(data), '\0');
  ASSERT_TRUE(is_present(&data));

  release_program_pages();

  EXPECT_FALSE(is_present(&data));
  EXPECT_EQ(read(data), '\0');
  EXPECT_TRUE(is_present(&data));
}

TEST(ProgramPagesTest, HeadersOfTheFilesAreReleasedToo) {
  Dl_info libm{};  // In which nothing runs here.
  const auto symbol = static_cast<double (*)(double)>(&::cbrt);
  ASSERT_NE(dladdr(reinterpret_cast<const void*>(symbol), &libm), 0);
  release_program_pages();  // The loader has looked up then what the next one needs.
  ASSERT_EQ(read(*static_cast<const char*>(libm.dli_fbase)), '\x7f');

  release_program_pages();

  EXPECT_FALSE(is_present(libm.dli_fbase));
}

TEST(ProgramPagesTest, ABreakpointStays) {
  const char& data = kData[kMiddle];
  ASSERT_EQ(read(data), '\0');
  write(data, '\xcc');

  release_program_pages();

  EXPECT_EQ(read(data), '\xcc');
  // Back to what the file says.
  EXPECT_EQ(madvise(const_cast<char*>(&data), page_size(), MADV_DONTNEED), 0);
  EXPECT_EQ(read(data), '\0');
}

}  // namespace
}  // namespace davit
