#include "cli/dev/debugger.hpp"

#include <gtest/gtest.h>

namespace davit::host {
namespace {

TEST(DebuggerTest, AttachesWithTheSymbolsOfTheBuildThatWasOpenedLast) {
  constexpr std::string_view kMaps =
      "7f10000-7f11000 r--p 00000000 08:01 9 /run/davit-plugins-QWERTY/aa11-2.so (deleted)\n"
      "7f11000-7f12000 r-xp 00001000 08:01 9 /run/davit-plugins-QWERTY/aa11-2.so (deleted)\n"
      "7f20000-7f21000 r--p 00000000 08:01 8 /run/davit-plugins-ASDFGH/bb22-1.so (deleted)\n"
      "7f30000-7f31000 r--p 00000000 08:01 7 /usr/lib/libstdc++.so.6\n";
  EXPECT_EQ(debugger_line(42, kMaps, "/p/build/a.so"),
            "gdb -p 42 -ex 'add-symbol-file /p/build/a.so -o 0x7f10000'");
}

TEST(DebuggerTest, HasNothingToSayWithoutAPlugin) {
  EXPECT_EQ(debugger_line(42, "7f30000-7f31000 r--p 00000000 08:01 7 /usr/lib/libc.so.6\n", "a.so"),
            "");
}

}  // namespace
}  // namespace davit::host
