#include "host/why/why_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/kube/json.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::host {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class WhyTextTest : public testing::Test {
 protected:
  [[nodiscard]] WhyAnswer empty_answer() const {
    return {.target = {.object = {"apps", "deployments", "shop", name_}, .kind = "Deployment"},
            .story = {},
            .now = {},
            .reaches_back_to = {},
            .clock = WallClockReading(clock_)};
  }
  /// A sync that was refused a pod.
  [[nodiscard]] WhyAnswer refused_answer() const {
    WorkRecord record;
    record.began = clock_.now();
    record.took = microseconds(1500);
    record.generation = 3;
    record.key = "shop/" + name_;
    record.attempt = 2;
    record.code = 3;
    record.error = message_;
    record.is_retried = true;
    record.wakes = {{Wake::Kind::kUpdated, {"apps", "deployments", "shop", name_}, "12", {}}};
    record.more_wakes = 4;
    Write write;
    write.verb = "create";
    write.object = {"", "pods", "shop", name_ + "-*"};
    write.http_status = 403;
    write.reason = "Forbidden";
    write.message = message_;
    write.began = clock_.now();
    record.writes.assign(25, write);
    WhyAnswer answer = empty_answer();
    answer.story.entries = {{"deployment-controller", record, 1}};
    answer.now = {{"pods " + name_, message_, 0}};
    answer.reaches_back_to = clock_.now();
    answer.left_out = 7;
    return answer;
  }

  test::FakeClock clock_;
  std::string name_ = "web";
  std::string message_ = "exceeded quota";
};

TEST_F(WhyTextTest, SyncHasItsControllerCausesWritesAndResult) {
  const std::string text = to_text(refused_answer());

  EXPECT_THAT(
      text,
      AllOf(
          HasSubstr("deployments.apps web in namespace shop\n\nNow\n  pods web: exceeded quota\n"),
          HasSubstr("  7 earlier syncs are left out\n"),
          HasSubstr("deployment-controller (generation 3) sync of shop/web, took 1.5 ms\n"),
          HasSubstr("        because deployments web was updated (resourceVersion 12)\n"),
          HasSubstr("        because 4 more events\n"),
          HasSubstr("        because its back-off had ended, after 2 failures\n"),
          HasSubstr("        → create pods web-*: 403 Forbidden: exceeded quota\n"),
          HasSubstr("        → 5 more writes\n"),
          HasSubstr("failed: exceeded quota; again after a back-off")));
}

TEST_F(WhyTextTest, NothingIsSaidInWords) {
  const std::string text = to_text(empty_answer());

  EXPECT_THAT(text, AllOf(HasSubstr("Now\n  nothing is waited for\n"),
                          HasSubstr("(no controller of this host has worked yet)\n  nothing")));
  EXPECT_THAT(to_timeline(empty_answer()), HasSubstr("davit did nothing to it"));
}

TEST_F(WhyTextTest, NamesAndMessagesCannotControlTheTerminal) {
  name_ = "\x1b[31mweb\xff\n\x9b";
  message_ = "line one\nline two\x07\x1b]0;title\x07";
  const WhyAnswer answer = refused_answer();

  for (const std::string& text : {to_text(answer), to_timeline(answer)}) {
    EXPECT_THAT(text, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\x07")), Not(HasSubstr("\xff")),
                            Not(HasSubstr("line one\n"))));
  }
  const std::string json = to_json(answer);
  EXPECT_TRUE(parse_json(json)) << json;
  EXPECT_THAT(json, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\n"))));
}

TEST_F(WhyTextTest, JsonHasEveryMember) {
  const Result<Json> json = parse_json(to_json(refused_answer()));

  ASSERT_TRUE(json);
  EXPECT_EQ(json->text_at({"object", "kind"}), "Deployment");
  EXPECT_EQ(json->get("recordsLeftOut").integer_or(0), 7);
  EXPECT_NE(json->text_at({"reachesBackTo"}), "");
  const Json& record = json->get("records").items().at(0);
  EXPECT_EQ(record.get("writes").size(), 25U);
  EXPECT_EQ(record.get("becauseNotKept").integer_or(0), 4);
  EXPECT_EQ(record.get("generation").integer_or(0), 3);
  EXPECT_TRUE(record.get("backOff").boolean());
}

TEST_F(WhyTextTest, TimelineHasALineForEachSyncAndEachWriteShown) {
  const std::string text = to_timeline(refused_answer());

  EXPECT_THAT(text, HasSubstr("deployment-controller (generation 3) sync of shop/web ✗ "));
  EXPECT_THAT(text, HasSubstr("create pods web-* ✗ 403"));
}

TEST_F(WhyTextTest, OwnersAndTheCauseOfASyncThatWasPutOffAreNamed) {
  WhyAnswer answer = refused_answer();
  answer.story.owners = {{{"batch", "jobs", "shop", "web"}, "Job"},
                         {{"", "", "shop", "nightly"}, "CronJob"}};
  StoryEntry& entry = answer.story.entries.front();
  entry.put_off = PutOff{clock_.now(), seconds(12), std::move(entry.record.wakes)};
  entry.record.wakes.clear();
  entry.record.more_wakes = entry.record.attempt = 0;

  const std::string text = to_text(answer);

  EXPECT_THAT(text,
              AllOf(HasSubstr("in namespace shop\n  belongs to Job web of CronJob nightly\n"),
                    HasSubstr("because its sync of "), HasSubstr(" asked to run again in 12.0 s\n"),
                    HasSubstr("because before that, deployments web was updated "
                              "(resourceVersion 12)\n"),
                    Not(HasSubstr("no event"))));
  const Result<Json> json = parse_json(to_json(answer));
  ASSERT_TRUE(json);
  EXPECT_EQ(json->get("owners").items().at(1).text_at({"kind"}), "CronJob");
  const Json& put_off = json->get("records").items().at(0).get("putOff");
  EXPECT_NE(put_off.get("time").text(), "");
  EXPECT_EQ(put_off.get("againMicroseconds").integer_or(0), 12'000'000);
  EXPECT_EQ(put_off.get("because").items().at(0).get("resourceVersion").text(), "12");
}

TEST_F(WhyTextTest, TimesAreShort) {
  EXPECT_EQ(short_time(microseconds(1500)), "1.5 ms");
  EXPECT_EQ(short_time(-seconds(1)), "0.0 ms");
  EXPECT_EQ(short_time(milliseconds(12'340)), "12.3 s");
  EXPECT_EQ(short_time(seconds(200)), "3 m 20 s");
  EXPECT_EQ(short_time(minutes(125)), "2 h 5 m");
}

}  // namespace
}  // namespace davit::host
