/// The example of kubebuilder's tutorial, loaded from its file and run on the in-memory cluster.
#include "cron_job.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>

#include "sdk/example/schedule.hpp"

namespace davit {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using tutorial::v1::CronJob;

class TutorialJob : public ObjectView {
 public:
  static constexpr Resource kResource{"batch", "v1", "jobs", "Job"};
  using ObjectView::ObjectView;
};

struct NextCase {
  std::string_view schedule;
  std::string_view after;
  std::string_view next;  ///< Empty: never.
};

TEST(ScheduleTest, FindsTheNextTime) {
  const NextCase kNextCases[] = {
      {"* * * * *", "2024-05-01T12:00:00Z", "2024-05-01T12:01:00Z"},
      {"* * * * *", "2024-05-01T12:00:59Z", "2024-05-01T12:01:00Z"},
      {"*/15 * * * *", "2024-05-01T12:46:00Z", "2024-05-01T13:00:00Z"},
      {"5/20 * * * *", "2024-05-01T12:26:00Z", "2024-05-01T12:45:00Z"},
      {"0 9-17/4 * * *", "2024-05-01T13:00:00Z", "2024-05-01T17:00:00Z"},
      {"0 0 1,15 * *", "2024-05-01T00:00:00Z", "2024-05-15T00:00:00Z"},
      {"0 0 * * MON", "2024-05-01T00:00:00Z", "2024-05-06T00:00:00Z"},
      {"30 6 * jan-feb sun", "2024-05-01T00:00:00Z", "2025-01-05T06:30:00Z"},
      {"0 0 13 * 5", "2024-05-01T00:00:00Z", "2024-05-03T00:00:00Z"},
      {"0 0 13 * */2", "2024-05-01T00:00:00Z", "2024-05-02T00:00:00Z"},
      {"0 0 29 2 *", "2025-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
      {"59 23 31 12 *", "2024-12-31T23:59:00Z", "2025-12-31T23:59:00Z"},
      {"0 0 30 2 *", "2024-05-01T00:00:00Z", ""},
  };
  for (const NextCase& each : kNextCases) {
    const Result<Schedule> schedule = Schedule::parse(each.schedule);
    ASSERT_TRUE(schedule) << each.schedule;
    const auto next = schedule->next(*parse_time(each.after));
    EXPECT_EQ(next ? format_time(*next) : "", each.next) << each.schedule;
  }
}

TEST(ScheduleTest, MalformedTextIsRefused) {
  for (const char* text :
       {"", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *",
        "* * * * 7", "5-1 * * * *", "*/0 * * * *", "a * * * *", "@hourly", "*/ * * * *"}) {
    EXPECT_EQ(Schedule::parse(text).error().code(), Code::kInvalid) << text;
  }
}

/// The cluster's clock starts at 2024-05-01T12:00:00Z.
class CronJobTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "tutorial-cron-job-controller";

  CronJobTest() : library_(dlopen(DAVIT_CRON_JOB, RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_NE(library_, nullptr) << dlerror();
    const auto entry = reinterpret_cast<davit_plugin_v1_fn>(dlsym(library_, DAVIT_PLUGIN_SYMBOL));
    cluster_ = std::make_unique<testing::Cluster>(
        testing::ClusterOptions{.note = testing::note_of(entry)});
    EXPECT_TRUE(cluster_->start(kController, entry()->rows[0].init).ok());
  }
  ~CronJobTest() override {
    EXPECT_THAT(cluster_->violations(), IsEmpty());
    cluster_->stop(kController);
    cluster_.reset();
    dlclose(library_);
  }

  void add(tutorial::v1::CronJobSpecDraft spec) {
    spec.job_template = {.metadata = {{.labels = {{"app", "report"}}}},
                         .spec = draft::Raw(R"({"template":{"spec":{"restartPolicy":"Never",
      "containers":[{"name":"main","image":"report:1"}]}}})")};
    testing::Json object = testing::Json::must(json_of(tutorial::v1::CronJobDraft{
        .metadata = {.name = "report", .ns = "default"}, .spec = std::move(spec)}));
    object["metadata"]["creationTimestamp"] = "2024-05-01T12:00:00Z";
    cluster_->add(object);
    cluster_->advance(2s);  // Until the host asks again whether the server has the resource.
  }
  std::vector<std::string> jobs() {
    std::vector<std::string> out;
    for (const TutorialJob& job : cluster_->all<TutorialJob>()) out.emplace_back(job.name());
    return out;
  }
  void finish(const std::string& name, const char* condition) {
    cluster_->merge<TutorialJob>({"default", name}, R"({"status":{"startTime":")" +
                                                        format_time(cluster_->wall_now()) +
                                                        R"(","conditions":[{"type":")" + condition +
                                                        R"(","status":"True"}]}})");
    cluster_->run_until_idle();
  }
  CronJob cron_job() { return *cluster_->find<CronJob>({"default", "report"}); }

  void* library_;
  std::unique_ptr<testing::Cluster> cluster_;
};

TEST_F(CronJobTest, JobIsStartedOnceAtItsTimeAndReported) {
  add({.schedule = "*/5 * * * *"});
  EXPECT_THAT(jobs(), IsEmpty());

  cluster_->advance(5min);

  ASSERT_THAT(jobs(), ElementsAre("report-28576085"));
  const TutorialJob job = cluster_->all<TutorialJob>().front();
  EXPECT_EQ(job.label("app"), "report");
  EXPECT_TRUE(job.is_controlled_by(cron_job()));
  EXPECT_EQ(job.annotation("tutorial.davit.dev/scheduled-at"), "2024-05-01T12:05:00Z");
  EXPECT_EQ(cron_job().status().active()[0].name(), "report-28576085");
  EXPECT_EQ(cron_job().status().last_schedule_time(), parse_time("2024-05-01T12:05:00Z"));

  cluster_->advance(5min);
  EXPECT_THAT(jobs(), SizeIs(2));
}

TEST_F(CronJobTest, FinishedJobsAreKeptUpToTheirLimits) {
  add({.schedule = "* * * * *",
       .successful_jobs_history_limit = 2,
       .failed_jobs_history_limit = 0});
  for (int i = 0; i < 4; ++i) {
    cluster_->advance(1min);
    finish(jobs().back(), i == 1 ? "Failed" : "Complete");
  }

  EXPECT_THAT(jobs(), ElementsAre("report-28576083", "report-28576084"));
  EXPECT_TRUE(cron_job().status().active().empty());
}

TEST_F(CronJobTest, ForbidSkipsWhileAJobRuns) {
  add({.schedule = "* * * * *",
       .concurrency_policy = tutorial::v1::CronJobSpecConcurrencyPolicy::kForbid});
  cluster_->advance(3min);
  EXPECT_THAT(jobs(), ElementsAre("report-28576081"));

  finish("report-28576081", "Complete");

  EXPECT_THAT(jobs(), ElementsAre("report-28576081", "report-28576083"));
}

TEST_F(CronJobTest, ReplaceDeletesTheJobThatRuns) {
  add({.schedule = "* * * * *",
       .concurrency_policy = tutorial::v1::CronJobSpecConcurrencyPolicy::kReplace});

  cluster_->advance(2min);

  EXPECT_THAT(jobs(), ElementsAre("report-28576082"));
}

TEST_F(CronJobTest, NoteDeclaresOnlyWhatIsNeeded) {
  add({.schedule = "* * * * *",
       .concurrency_policy = tutorial::v1::CronJobSpecConcurrencyPolicy::kReplace});
  EXPECT_THAT(cluster_->unused_declarations(), SizeIs(3)) << "there is no Job yet";

  cluster_->advance(2min);

  EXPECT_THAT(cluster_->unused_declarations(), IsEmpty());
}

TEST_F(CronJobTest, SuspendedCronJobStartsNothing) {
  add({.schedule = "* * * * *", .suspend = true});
  cluster_->advance(5min);
  EXPECT_THAT(jobs(), IsEmpty());

  cluster_->merge<CronJob>({"default", "report"}, R"({"spec":{"suspend":false}})");
  cluster_->run_until_idle();

  EXPECT_THAT(jobs(), ElementsAre("report-28576085"));
}

TEST_F(CronJobTest, StartThatIsTooLateIsSkipped) {
  cluster_->skip(90s);

  add({.schedule = "1 * * * *", .starting_deadline_seconds = 20});

  EXPECT_THAT(jobs(), IsEmpty());
}

TEST_F(CronJobTest, TooManyMissedStartsAreReportedAndADeadlineHelps) {
  cluster_->skip(101min);
  add({.schedule = "* * * * *"});
  EXPECT_THAT(jobs(), IsEmpty());
  ASSERT_THAT(cluster_->events(), SizeIs(1));
  EXPECT_EQ(cluster_->events().front().reason, "TooManyMissedTimes");

  cluster_->merge<CronJob>({"default", "report"}, R"({"spec":{"startingDeadlineSeconds":120}})");
  cluster_->run_until_idle();

  EXPECT_THAT(jobs(), SizeIs(1));
}

TEST_F(CronJobTest, MalformedScheduleIsReported) {
  add({.schedule = "now and then"});

  ASSERT_THAT(cluster_->events(), SizeIs(1));
  EXPECT_EQ(cluster_->events().front().reason, "InvalidSchedule");
}

}  // namespace
}  // namespace davit
