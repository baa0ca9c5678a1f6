#include "lib/base/log_line.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <vector>

namespace davit {
namespace {

class LogLineTest : public testing::Test {
 protected:
  LogLineTest() {
    setenv("TZ", "UTC", 1);
    tzset();
  }

  static LogRecord record(std::string_view message, std::span<const LogPair> fields = {}) {
    LogRecord made;
    // 2026-11-21 08:00:00.123456 UTC.
    made.time = WallTime(std::chrono::seconds(1795248000) + std::chrono::microseconds(123456));
    made.process = 4711;
    made.message = message;
    made.fields = fields;
    return made;
  }
};

TEST_F(LogLineTest, TextHasKlogsShape) {
  const std::vector<LogPair> fields = {{"key", "default/web"}, {"replicas", 3}, {"ready", true}};
  LogRecord line = record("Scaled", fields);
  line.logger = "replicaset-controller";

  EXPECT_EQ(text_log_line(line),
            "I1121 08:00:00.123456    4711 replicaset-controller] \"Scaled\" key=\"default/web\" "
            "replicas=3 ready=true");
}

TEST_F(LogLineTest, LinesWithoutLoggerNameTheProgram) {
  LogRecord line = record("Starting");
  line.severity = Severity::kWarning;

  EXPECT_EQ(text_log_line(line), "W1121 08:00:00.123456    4711 davit] \"Starting\"");
}

TEST_F(LogLineTest, ErrorStandsFirstAndTheLastOfARepeatedKeyWins) {
  const std::vector<LogPair> fields = {{"a", 1}, {"b", 2}, {"err", "broken"}, {"a", 3}};
  LogRecord line = record("Failed", fields);
  line.severity = Severity::kError;

  EXPECT_EQ(text_log_line(line),
            "E1121 08:00:00.123456    4711 davit] \"Failed\" err=\"broken\" b=2 a=3");
}

TEST_F(LogLineTest, ControlCharactersAreEscapedInEveryPlace) {
  const std::string zone("r:\0:z", 5);
  const std::vector<LogPair> fields = {{"zone", zone},
                                       {"text", "one\n\x1b[2J"},
                                       {"k\x1b",
                                        "\xc2\x9b"
                                        "2J"}};
  LogRecord line = record("S\x1b", fields);
  line.logger = "a\x1b";

  EXPECT_EQ(text_log_line(line),
            "I1121 08:00:00.123456    4711 a\\x1b] \"S\\u001b\" zone=\"r:\\u0000:z\" "
            "text=<\n\tone\n\t\\x1b[2J\n > k\\x1b=\"\\u009b2J\"");
}

TEST_F(LogLineTest, ValuesOfSeveralLinesBecomeABlock) {
  const std::vector<LogPair> fields = {{"text", "one\ntwo"}, {"n", 1}};

  EXPECT_EQ(text_log_line(record("Said", fields)),
            "I1121 08:00:00.123456    4711 davit] \"Said\" text=<\n\tone\n\ttwo\n > n=1");
}

TEST_F(LogLineTest, JsonInfoLinesHaveAVerbosity) {
  const std::vector<LogPair> fields = {{"key", "a\"b"}, {"n", 3}, {"share", 0.5}};
  LogRecord line = record("Synced", fields);
  line.logger = "x";
  line.verbosity = 2;

  EXPECT_EQ(json_log_line(line),
            R"({"ts":1795248000123.456,"caller":"x","msg":"Synced","v":2,"logger":"x",)"
            R"("key":"a\"b","n":3,"share":0.500000})");
}

TEST_F(LogLineTest, JsonErrorLinesHaveNone) {
  const std::vector<LogPair> fields = {{"n", 3}, {"err", "broken"}};
  LogRecord line = record("Failed", fields);
  line.severity = Severity::kError;

  EXPECT_EQ(json_log_line(line),
            R"({"ts":1795248000123.456,"caller":"davit","msg":"Failed","err":"broken","n":3})");
}

TEST_F(LogLineTest, NumbersThatJsonLacksAreQuoted) {
  const std::vector<LogPair> fields = {{"n", std::numeric_limits<double>::infinity()}};

  EXPECT_NE(json_log_line(record("Odd", fields)).find(R"("n":"inf")"), std::string::npos);
}

}  // namespace
}  // namespace davit
