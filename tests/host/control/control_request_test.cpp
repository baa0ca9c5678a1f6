#include "host/control/control_request.hpp"

#include <gtest/gtest.h>

namespace davit::host {
namespace {

TEST(ControlRequestTest, WhatIsAskedComesThrough) {
  const ControlRequest asked{"swap", "replica\"set", "/plugins/new.so", "none", 30000, 20};

  const Result<ControlRequest> heard = parse_request(to_line(asked));

  ASSERT_TRUE(heard) << heard.error().message();
  EXPECT_EQ(heard->command, asked.command);
  EXPECT_EQ(heard->name, asked.name);
  EXPECT_EQ(heard->file, asked.file);
  EXPECT_EQ(heard->state, asked.state);
  EXPECT_EQ(heard->watch_ms, asked.watch_ms);
  EXPECT_EQ(heard->max_error_percent, asked.max_error_percent);
}

struct BadLine {
  const char* line;
  const char* why;
};

constexpr BadLine kBadLines[] = {
    {"{}",
     "unknown command \"\" (allowed: status, swap, load, unload, enable, disable, pause, resume, "
     "shadow, shadow-commit, shadow-drop, why)"},
    {R"({"command":"status","namespace":"shop"})", "namespace and output are for why only"},
    {R"({"command":"why"})", "why needs a name"},
    {R"({"command":"swap"})", "swap needs a name"},
    {R"({"command":"load"})", "load needs a file"},
    {R"({"command":"swap","name":"a","file":"b.so"})",
     "file must be an absolute path, not \"b.so\""},
    {R"({"command":"swap","name":"a","watchMilliseconds":5})",
     "watchMilliseconds and maxErrorPercent need each other"},
    {R"({"command":"pause","name":"a","state":"none"})", "pause takes no state"},
};

TEST(ControlRequestTest, MistakesAreNamed) {
  for (const BadLine& each : kBadLines) {
    EXPECT_EQ(parse_request(each.line).error().message(), each.why) << each.line;
  }
  for (const char* line : {"", "swap", "{", "[]", R"({"command":"status","colour":"red"})"}) {
    EXPECT_FALSE(parse_request(line)) << line;
  }
}

TEST(ControlRequestTest, AResponseHasSuccessAndText) {
  const Result<ControlResponse> done =
      parse_response(R"({"ok":true,"text":"one\ntwo","more":[1]})");
  ASSERT_TRUE(done);
  EXPECT_EQ(done->success, ControlResponse::Success::kYes);
  EXPECT_EQ(done->text, "one\ntwo");
  EXPECT_EQ(parse_response(R"({"ok":false,"text":"no"})")->success, ControlResponse::Success::kNo);
  EXPECT_FALSE(parse_response("HTTP/1.1 400 Bad Request"));
}

}  // namespace
}  // namespace davit::host
