#include "host/crash/crash_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "host/crash/crash_journal.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::Not;

const Breadcrumb kSync{.plugin = "replicaset",
                       .build_id = "0123456789ab",
                       .generation = 2,
                       .controller = "replicaset-controller",
                       .activity = "sync",
                       .key = "default/web"};

std::string report(const CrashFacts& facts, LogFormat format = LogFormat::kText) {
  CrashText text;
  add_report(facts, format, text);
  return std::string(text.view());
}

TEST(CrashTextTest, ReportNamesPluginBuildGenerationControllerAndKey) {
  EXPECT_EQ(report({.signal = SIGSEGV,
                    .address = 0x10,
                    .instruction = 0x7f0012,
                    .module = "/run/davit/x.so",
                    .module_base = 0x7f0000,
                    .crumb = &kSync}),
            "davit: crashed with SIGSEGV at address 0x10 in plugin replicaset, build 0123456789ab, "
            "generation 2, controller replicaset-controller, sync of key \"default/web\"; the code "
            "was at 0x7f0012, /run/davit/x.so+0x12\n");
}

TEST(CrashTextTest, ReportOfTheHostsOwnThreadsSaysThatItIsInNoPlugin) {
  const std::string text = report({.signal = SIGABRT, .address = 0x10, .instruction = 0x20});
  EXPECT_EQ(text,
            "davit: crashed with SIGABRT, outside any call into a plugin; the code was at 0x20\n");
}

TEST(CrashTextTest, ReportIsALineOfTheLogInJson) {
  Breadcrumb crumb = kSync;
  crumb.key = "a\"b";
  EXPECT_EQ(report({.signal = SIGSEGV,
                    .address = 0x10,
                    .instruction = 0x7f0012,
                    .module = "/run/davit/x.so",
                    .module_base = 0x7f0000,
                    .crumb = &crumb,
                    .unix_seconds = 1700000000},
                   LogFormat::kJson),
            R"({"ts":1700000000000.000,"caller":"davit","msg":"Crashed","signal":"SIGSEGV",)"
            R"("address":"0x10","plugin":"replicaset","build":"0123456789ab","generation":2,)"
            R"("controller":"replicaset-controller","activity":"sync","key":"a\"b",)"
            R"("code":"0x7f0012","module":"/run/davit/x.so","offset":"0x12"})"
            "\n");
  EXPECT_EQ(report({.signal = SIGABRT, .instruction = 0x20, .unix_seconds = 1}, LogFormat::kJson),
            R"({"ts":1000.000,"caller":"davit","msg":"Crashed","signal":"SIGABRT","code":"0x20"})"
            "\n");
}

TEST(CrashTextTest, LossNamesTheFileAndTheReason) {
  const auto loss = [](LogFormat format) {
    CrashText text;
    add_loss({.signal = SIGABRT, .unix_seconds = 1}, "/s/crashes.jsonl", ENOSPC, format, text);
    return std::string(text.view());
  };
  EXPECT_EQ(loss(LogFormat::kText),
            "davit: the crash is not recorded in /s/crashes.jsonl, so it counts for no quarantine: "
            "No space left on device\n");
  EXPECT_EQ(loss(LogFormat::kJson),
            R"({"ts":1000.000,"caller":"davit","msg":"The crash is not recorded and counts for no )"
            R"(quarantine","err":"No space left on device","file":"/s/crashes.jsonl"})"
            "\n");
}

TEST(CrashTextTest, KeysAreBytesAndKeepTheLineWhole) {
  Breadcrumb crumb = kSync;
  crumb.key = "a\"b\\c\nd\xff";
  EXPECT_THAT(report({.signal = SIGBUS, .crumb = &crumb}), HasSubstr("key \"a\\\"b\\\\c?d?\";"));

  CrashText record;
  add_record({.signal = SIGBUS, .crumb = &crumb, .unix_seconds = 7}, record);
  const auto parsed = parse_crash(record.view());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->key, "a\"b\\c?d?");
}

TEST(CrashTextTest, RecordIsReadBackAsItWas) {
  CrashText text;
  add_record({.signal = SIGFPE, .module = "/x.so", .crumb = &kSync, .unix_seconds = 1700000000},
             text);
  const CrashRecord wanted{.time = WallTime(std::chrono::seconds(1700000000)),
                           .signal = "SIGFPE",
                           .plugin = "replicaset",
                           .build = "0123456789ab",
                           .controller = "replicaset-controller",
                           .activity = "sync",
                           .key = "default/web",
                           .module = "/x.so"};
  EXPECT_EQ(parse_crash(text.view()), wanted);
}

TEST(CrashTextTest, TextsOfAnyLengthFit) {
  const std::string huge(100'000, '"');
  Breadcrumb crumb;
  crumb.plugin = crumb.build_id = crumb.controller = crumb.activity = crumb.key = huge;
  CrashText record;
  add_record({.signal = SIGSEGV, .module = huge, .crumb = &crumb}, record);
  EXPECT_TRUE(parse_crash(record.view())) << "a record is whole, with its texts cut";
  CrashText full;
  for (int i = 0; i < 3; ++i) full.add(huge);
  EXPECT_LT(full.view().size(), huge.size());
}

}  // namespace
}  // namespace davit::host
