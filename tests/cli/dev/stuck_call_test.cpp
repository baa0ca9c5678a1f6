#include "cli/dev/stuck_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

using testing::ElementsAre;

TEST(StuckCallTest, ReportIsReadBackAsItWasWritten) {
  const StuckCall call{"sync", "default/a key with spaces", 3, {0x1139, 0xffff00001170}};
  EXPECT_EQ(call.report(), "sync 3 0x1139,0xffff00001170 default/a key with spaces");
  const StuckCall back = StuckCall::parse(call.report());
  EXPECT_EQ(back.activity, call.activity);
  EXPECT_EQ(back.key, call.key);
  EXPECT_EQ(back.seconds, 3);
  EXPECT_EQ(back.stack, call.stack);

  const StuckCall handler = StuckCall::parse(StuckCall{"on_event", "", 4, {}}.report());
  EXPECT_EQ(handler.name(), "on_event");
  EXPECT_TRUE(handler.stack.empty());
}

TEST(StuckCallTest, LinesAreNamedFromTheProjectsFolder) {
  const StuckCall call{"sync", "default/web", 3, {0x1139, 0x1170}};
  EXPECT_THAT(line_command("a.so", call.stack),
              ElementsAre("addr2line", "-e", "a.so", "-f", "-C", "-p", "-i", "0x1139", "0x1170"));
  EXPECT_THAT(
      describe(call,
               {"spin at /home/me/hello/plugin.c:57 (discriminator 1)",
                "sync_key at /home/me/hello/plugin.c:61"},
               "/home/me/hello"),
      ElementsAre("==> sync of default/web has been running for 3 s and has not returned; it "
                  "is in",
                  "    spin at plugin.c:57", "    sync_key at plugin.c:61",
                  "    save a change to restart the host with it"));
}

TEST(StuckCallTest, WithoutBinutilsOffsetsAreShown) {
  EXPECT_THAT(
      describe({"timer", "7", 3, {0x10}}, {}, "/x"),
      testing::Contains("    offsets 0x10 of the plugin; install binutils to see the lines"));
}

}  // namespace
}  // namespace davit::host
