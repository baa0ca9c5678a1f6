#include "cli/status_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::Not;

Json sample() {
  Result<Json> made = parse_json(R"({"version":"1.2.3","time":"2026-01-02T03:04:05Z","cpu":0.5,
    "residentBytes":1048576,"threads":7,"notes":["something \u001b[31mred"],
    "leadership":{"role":"leader","lease":"kube-system/davit","holder":"a_1"},
    "controllers":[{"name":"web-controller","plugin":"web","state":"running","waiting":4,
      "running":1,
      "delayed":2,"pendingChanges":3,"syncs":10,"errors":5,"syncsPerSecond":1.500,
      "errorsPerSecond":0.500,"cpu":0.250,
      "failing":[{"queue":"web","key":"shop/a","error":"no \u001b[31mright","since":"t1",
        "failures":7},{"timer":true,"error":"no server","since":"t2","failures":1}],
      "failingOthers":5,
      "held":{"objects":3,"objectBytes":2097152,"informers":44,"timers":2,"backOffs":9,
        "unseenWrites":1,"journalBytes":1048576}}],
    "allocatedBytes":524288,"journal":{"bytes":3145728,"bytesMax":8388608},
    "plugins":[{"name":"web","version":"0.1.0","digest":"0123456789abcdef","generation":2,
      "grade":"swappable","probationSeconds":0.000}],
    "swaps":[{"time":"t","plugin":"web","outcome":"done","pauseSeconds":0.002,"text":"serves"}],
    "crashes":[{"time":"t","signal":"SIGSEGV","plugin":"web","build":"0123","controller":"c",
      "key":"k"}],
    "informers":[{"resource":"pods","selection":"","objects":9,"bytes":2097152,
      "unconfirmedSeconds":1.250,"stale":true,"skipped":0}],"quarantined":[],"busy":""})");
  EXPECT_TRUE(made);
  return *std::move(made);
}

TEST(StatusTextTest, ShowsControllersPluginsHistoryAndInformers) {
  const std::string text = status_text(sample(), {});

  EXPECT_THAT(text, HasSubstr("leader of kube-system/davit, holder a_1"));
  EXPECT_THAT(
      text, testing::ContainsRegex("web-controller +running +4 +1 +2 +3 +1.5 +0.5 +10 +5 +25.0\n"));
  EXPECT_THAT(text, testing::ContainsRegex("web +0.1.0 +2 +0123456789ab +swappable\n"));
  EXPECT_THAT(text, testing::ContainsRegex("t +web +done +2.0 ms +serves\n"));
  EXPECT_THAT(text, testing::ContainsRegex("t +SIGSEGV +web +0123 +c +k\n"));
  EXPECT_THAT(text, testing::ContainsRegex("pods +stale +9 +2.0 MiB +1.2 s +0\n"));
}

TEST(StatusTextTest, ShowsFailingKeysAndWhatControllersHold) {
  const std::string text = status_text(sample(), {});

  EXPECT_THAT(text, HasSubstr("memory 1.0 MiB, 0.5 MiB of it in use  journal 3.0 MiB"));
  EXPECT_THAT(text, testing::ContainsRegex("shop/a +web-controller +t1 +7 +no .*right\n"));
  EXPECT_THAT(text, testing::ContainsRegex("a timer +web-controller +t2 +1 +no server\n"));
  EXPECT_THAT(text, HasSubstr("5 further keys of web-controller fail\n"));
  EXPECT_THAT(text, testing::ContainsRegex("web-controller +3 +2.0 MiB +44 +2 +9 +1 +1.0 MiB\n"));
}

TEST(StatusTextTest, WithoutColoursThereIsNoEscapeEvenOfNames) {
  EXPECT_THAT(status_text(sample(), {}), Not(HasSubstr("\033")));
}

TEST(StatusTextTest, ColoursDoNotMoveTheColumns) {
  std::string coloured = status_text(sample(), {.colours = Colours::kOn});
  EXPECT_THAT(coloured, HasSubstr("\033[31mstale"));
  std::string plain;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\033') {
      i = coloured.find('m', i);
    } else {
      plain += coloured[i];
    }
  }

  const auto stripped = [](const std::string& text) {
    std::istringstream lines(text);
    std::string out;
    for (std::string line; std::getline(lines, line);) {
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
  };
  EXPECT_EQ(stripped(plain), stripped(status_text(sample(), {})));
}

TEST(StatusTextTest, StaysWithinTheTerminal) {
  const std::string text = status_text(sample(), {.rows_max = 5, .columns_max = 20});

  EXPECT_EQ(std::ranges::count(text, '\n'), 5);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 20U) << line;
}

TEST(StatusTextTest, AStatusWithoutMembersIsShownAsEmpty) {
  EXPECT_THAT(status_text(Json::object(), {}), HasSubstr("CONTROLLER"));
}

TEST(OutputColoursTest, APipeHasNone) { EXPECT_EQ(output_colours(), Colours::kOff); }

}  // namespace
}  // namespace davit::host
