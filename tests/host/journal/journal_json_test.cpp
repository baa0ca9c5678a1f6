#include "host/journal/journal_json.hpp"

#include <gtest/gtest.h>

#include "lib/kube/json.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::host {
namespace {

TEST(JournalJsonTest, RecentWritesAreValidJsonWhateverTheirNamesAre) {
  test::FakeClock clock;
  Journal journal;
  ControllerJournal& kept = *journal.of("deployment-controller");
  kept.begin(clock.now());
  {
    JournaledWork work(kept, {.queue = "deployment", .key = "default/\x1b[31mweb\xff\n"},
                       clock.now());
    work.wrote({.verb = "patch",
                .object = {"apps", "deployments", "default", "we\"b\\"},
                .http_status = 409,
                .reason = "Conflict",
                .message = "line one\nline two\x07"});
    work.end({.code = 2, .error = "\x9b"}, clock.now());
  }

  const std::string json = recent_json(journal, "deployment-controller", 10, clock);

  const auto parsed = parse_json(json);
  ASSERT_TRUE(parsed) << json;
  EXPECT_EQ(json.find('\x1b'), std::string::npos);
  EXPECT_EQ(json.find('\n'), std::string::npos);
  EXPECT_NE(json.find("\"reason\":\"Conflict\""), std::string::npos) << json;
  EXPECT_EQ(recent_json(journal, "nothing", 10, clock), "[]");
}

}  // namespace
}  // namespace davit::host
