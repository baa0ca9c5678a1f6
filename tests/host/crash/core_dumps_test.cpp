#include "host/crash/core_dumps.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <cstdlib>

namespace davit::host {
namespace {

// Under AddressSanitizer the process of a user stays as it is: LeakSanitizer has to attach to it.
#if !defined(__SANITIZE_ADDRESS__)
TEST(CoreDumpsTest, AProcessThatForbidsThemIsNotDumpable) {
  // In a child: the parent stays as it is, for debuggers and sanitizers.
  EXPECT_EXIT(
      {
        const bool before = ::prctl(PR_GET_DUMPABLE) == 1;
        const bool forbidden = forbid_core_dumps().ok() && ::prctl(PR_GET_DUMPABLE) == 0;
        std::_Exit(before && forbidden ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace davit::host
