/// The CronJob controller in the in-memory cluster, under the rights and projections of its note.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/cronjob/note.hpp"

namespace davit::cronjob {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Json;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
using testing::Verb;
using namespace std::chrono_literals;

/// The time of a text such as "2016-05-19T10:00:00.1Z".
[[nodiscard]] WallTime at(std::string_view text);

/// The part of an object at a path; null if there is none.
[[nodiscard]] Json part(const Json& object, std::initializer_list<std::string_view> path);

/// Objects are in the namespace "default"; the CronJob is called "c". The clock begins at 09:30 of
/// 19 May 2016, which is also when CronJobs were created unless a test says otherwise. The Job of
/// 10:00 is c-24394200.
class CronJobTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "cronjob-controller";
  static constexpr const char* kHourly = "0 * * * *";
  static constexpr const char* kEveryMinute = "* * * * *";

  void TearDown() override { EXPECT_THAT(cluster_.violations(), IsEmpty()); }

  /// `zone`: of the process.
  void start(const TimeZone& zone = TimeZone());

  // ---- Objects, as a user ----

  /// Adds the CronJob, changed by a JSON merge patch.
  void add(std::string_view schedule, std::string_view patch = "{}");
  void edit(std::string_view patch);
  /// Adds a Job that the CronJob controls, changed by a JSON merge patch.
  void add_job(const std::string& name, std::string_view patch = "{}");
  /// The Job ends now with the condition "Complete" or "Failed".
  void finish(const std::string& name, std::string_view condition = "Complete");
  void run_to(std::string_view time);

  // ---- The server's state ----

  [[nodiscard]] Json cron_job() const { return cluster_.json<CronJob>({"default", "c"}); }
  [[nodiscard]] Json job(const std::string& name) const {
    return cluster_.json<Job>({"default", name});
  }
  /// The names of all Jobs, sorted.
  [[nodiscard]] std::vector<std::string> jobs();
  /// The names in status.active.
  [[nodiscard]] std::vector<std::string> active() const;
  [[nodiscard]] std::string last_schedule() const {
    return cron_job().text_at({"status", "lastScheduleTime"});
  }
  [[nodiscard]] std::string last_successful() const {
    return cron_job().text_at({"status", "lastSuccessfulTime"});
  }

  // ---- What the controller did ----

  [[nodiscard]] std::vector<std::string> events() const { return cluster_.event_texts(); }
  [[nodiscard]] std::size_t count(Verb verb, std::string_view resource,
                                  std::string_view subresource = {}) const {
    return cluster_.requests_of(verb, resource, subresource).size();
  }

  testing::Cluster cluster_{
      {.note = note_text<cronjob::declare>(), .start = at("2016-05-19T09:30:00Z")}};
};

}  // namespace davit::cronjob
