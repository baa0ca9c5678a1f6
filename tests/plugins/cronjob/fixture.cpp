#include "tests/plugins/cronjob/fixture.hpp"

#include <davit/kube/time.hpp>
#include <memory>

namespace davit::cronjob {

WallTime at(std::string_view text) { return parse_time(text).value(); }

Json part(const Json& object, std::initializer_list<std::string_view> path) {
  const Json* found = object.at(path);
  return found == nullptr ? Json() : *found;
}

void CronJobTest::start(const TimeZone& zone) {
  const Status started = cluster_.start(kController, [&zone](Context& cluster) -> InitResult {
    return std::unique_ptr<Controller>(std::make_unique<CronJobController>(cluster, zone));
  });
  ASSERT_TRUE(started.ok()) << started.message();
  cluster_.run_until_idle();
}

void CronJobTest::add(std::string_view schedule, std::string_view patch) {
  Json object = Json::must(R"({"apiVersion":"batch/v1","kind":"CronJob",
      "metadata":{"namespace":"default","name":"c","uid":"cron-uid",
                  "creationTimestamp":"2016-05-19T09:30:00Z"},
      "spec":{"jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never",
              "containers":[{"name":"c","image":"nginx"}]}}}}}})");
  object["spec"]["schedule"] = Json(schedule);
  testing::merge_patch(object, Json::must(patch));
  cluster_.add(object);
  cluster_.run_until_idle();
}

void CronJobTest::edit(std::string_view patch) {
  cluster_.merge<CronJob>({"default", "c"}, patch);
  cluster_.run_until_idle();
}

void CronJobTest::add_job(const std::string& name, std::string_view patch) {
  Json object = Json::must(R"({"apiVersion":"batch/v1","kind":"Job",
      "metadata":{"namespace":"default","ownerReferences":[{"apiVersion":"batch/v1",
                  "kind":"CronJob","name":"c","uid":"cron-uid","controller":true}]},
      "spec":{"template":{"spec":{"restartPolicy":"Never",
                                  "containers":[{"name":"c","image":"nginx"}]}}}})");
  object["metadata"]["name"] = Json(name);
  testing::merge_patch(object, Json::must(patch));
  cluster_.add(object);
  cluster_.run_until_idle();
}

void CronJobTest::finish(const std::string& name, std::string_view condition) {
  const std::string now = format_time(cluster_.wall_now());
  std::string patch = R"({"status":{"startTime":")" + now + R"(","conditions":[{"type":")" +
                      std::string(condition) + R"(","status":"True"}])";
  if (condition == "Complete") patch += R"(,"completionTime":")" + now + "\"";
  cluster_.merge<Job>({"default", name}, patch + "}}");
  cluster_.run_until_idle();
}

void CronJobTest::run_to(std::string_view time) {
  cluster_.advance(at(time) - cluster_.wall_now());
}

std::vector<std::string> CronJobTest::jobs() {
  std::vector<std::string> names;
  for (const Job& each : cluster_.all<Job>()) names.emplace_back(each.name());
  return names;
}

std::vector<std::string> CronJobTest::active() const {
  std::vector<std::string> names;
  const Json listed = part(cron_job(), {"status", "active"});
  for (const Json& each : listed.items()) {
    names.push_back(each.text_at({"name"}));
  }
  return names;
}

}  // namespace davit::cronjob
