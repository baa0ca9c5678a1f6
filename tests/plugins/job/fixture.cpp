#include "tests/plugins/job/fixture.hpp"

#include <algorithm>

namespace davit::job {

void JobTest::start() {
  const Status started = cluster_.start(kController, &make<JobController>);
  ASSERT_TRUE(started.ok()) << started.message();
  cluster_.run_until_idle();
}

void JobTest::restart() {
  cluster_.stop(kController);
  start();
}

void JobTest::add_job(std::string_view spec, std::string_view patch) {
  Json job = Json::must(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},
      "spec":{"template":{"metadata":{},"spec":{"restartPolicy":"Never",
              "containers":[{"name":"c","image":"nginx"}]}}}})");
  testing::merge_patch(job["spec"], Json::must(spec));
  testing::merge_patch(job, Json::must(patch));
  const testing::RawReply reply = cluster_.exchange({"POST",
                                                     "/apis/batch/v1/namespaces/default/jobs",
                                                     {{"Content-Type", "application/json"}},
                                                     job.dump()});
  ASSERT_EQ(reply.http_status, 201) << reply.body;
}

void JobTest::run_job(std::string_view spec, std::string_view patch) {
  start();
  add_job(spec, patch);
  settle();
}

void JobTest::edit_job(std::string_view patch) {
  const testing::RawReply reply =
      cluster_.exchange({"PATCH",
                         "/apis/batch/v1/namespaces/default/jobs/j",
                         {{"Content-Type", "application/merge-patch+json"}},
                         std::string(patch)});
  ASSERT_EQ(reply.http_status, 200) << reply.body;
  cluster_.run_until_idle();
}

void JobTest::edit_status(std::string_view patch) {
  cluster_.merge<Job>({"default", "j"}, R"({"status":)" + std::string(patch) + "}");
}

void JobTest::delete_job(Propagation propagation) {
  cluster_.remove<Job>({"default", "j"}, {.propagation = propagation});
  cluster_.run_until_idle();
}

void JobTest::set_pod(const std::string& name, std::string_view patch) {
  cluster_.merge<Pod>({"default", name}, patch);
}

void JobTest::succeed(const std::string& name) {
  set_pod(name, R"({"status":{"phase":"Succeeded","containerStatuses":[{"name":"c",
      "state":{"terminated":{"exitCode":0,"finishedAt":")" +
                    format_time(cluster_.wall_now()) + R"("}}}]}})");
}

void JobTest::fail(const std::string& name, int exit_code) {
  set_pod(name, R"({"status":{"phase":"Failed","containerStatuses":[{"name":"c",
      "state":{"terminated":{"exitCode":)" +
                    std::to_string(exit_code) + R"(,"finishedAt":")" +
                    format_time(cluster_.wall_now()) + R"("}}}]}})");
}

void JobTest::set_ready(const std::string& name, std::string_view status) {
  set_pod(name, R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":")" +
                    std::string(status) + R"(","lastTransitionTime":")" +
                    format_time(cluster_.wall_now()) + R"("}]}})");
}

void JobTest::delete_pod(const std::string& name) { cluster_.remove<Pod>({"default", name}); }

void JobTest::add_pod(const std::string& name, std::string_view patch) {
  Json pod = Json::must(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default"},
      "spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"nginx"}]},
      "status":{"phase":"Running"}})");
  pod["metadata"]["name"] = name;
  testing::merge_patch(pod, Json::must(patch));
  cluster_.add(pod);
}

std::string JobTest::status(std::string_view member) const {
  const Json object = job();
  const Json* value = object.at({"status", member});
  return value == nullptr ? std::string() : value->dump();
}

std::vector<std::string> JobTest::conditions_of(const Json& job) {
  std::vector<std::string> texts;
  const Json* conditions = job.at({"status", "conditions"});
  if (conditions == nullptr) return texts;
  for (const Json& each : conditions->items()) {
    texts.push_back(each.text_at({"type"}) + "=" + each.text_at({"status"}) + "/" +
                    each.text_at({"reason"}));
  }
  return texts;
}

std::string JobTest::message_of(std::string_view condition) const {
  const Json object = job();
  const Json* conditions = object.at({"status", "conditions"});
  if (conditions == nullptr) return {};
  for (const Json& each : conditions->items()) {
    if (each.text_at({"type"}) == condition) return each.text_at({"message"});
  }
  return {};
}

bool JobTest::exists(const std::string& pod) {
  return cluster_.find<Pod>({"default", pod}).has_value();
}

bool JobTest::has_finalizer(const std::string& pod) {
  const std::optional<Pod> found = cluster_.find<Pod>({"default", pod});
  return found && found->has_finalizer(kFinalizer);
}

bool JobTest::is_deleted(const std::string& pod) {
  const std::optional<Pod> found = cluster_.find<Pod>({"default", pod});
  return !found || found->is_being_deleted();
}

std::string JobTest::annotation(const std::string& pod, std::string_view key) {
  const std::optional<Pod> found = cluster_.find<Pod>({"default", pod});
  return std::string(found ? found->annotation(key).value_or("") : "");
}

std::vector<std::string> JobTest::all_pods() {
  std::vector<std::string> names;
  for (const Pod& each : cluster_.all<Pod>()) names.emplace_back(each.name());
  return names;
}

std::vector<std::string> JobTest::active_pods() {
  std::vector<std::string> names;
  for (const Pod& each : cluster_.all<Pod>()) {
    if (each.is_active()) names.emplace_back(each.name());
  }
  return names;
}

std::string JobTest::active_pod() {
  const std::vector<std::string> names = active_pods();
  EXPECT_EQ(names.size(), 1U);
  return names.empty() ? std::string() : names.front();
}

std::map<std::string, std::string> JobTest::by_index() {
  std::map<std::string, std::string> names;
  for (const Pod& each : cluster_.all<Pod>()) {
    if (each.is_active()) names[std::string(each.annotation(kIndex).value_or(""))] = each.name();
  }
  return names;
}

std::vector<Json> JobTest::stored_statuses() const {
  std::vector<Json> statuses;
  for (const testing::RequestRecord& each : cluster_.requests_of(Verb::kUpdate, "jobs", "status")) {
    if (each.ok()) statuses.push_back(each.json());
  }
  return statuses;
}

std::vector<std::string> JobTest::write_texts() const {
  std::vector<std::string> texts;
  for (const testing::RequestRecord& each : cluster_.writes()) texts.push_back(each.text());
  return texts;
}

double JobTest::metric(std::string_view name, const std::vector<std::string>& labels) const {
  double sum = 0;
  for (const testing::MetricSample& each : cluster_.metrics()) {
    if (each.name == "job_controller_" + std::string(name) && each.labels == labels) {
      sum += each.value;
    }
  }
  return sum;
}

std::size_t JobTest::events(std::string_view text) const {
  const std::vector<std::string> texts = cluster_.event_texts();
  return static_cast<std::size_t>(std::count(texts.begin(), texts.end(), text));
}

}  // namespace davit::job
