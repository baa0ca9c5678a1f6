#include "plugins/cronjob/job_body.hpp"

#include <chrono>
#include <davit/json_writer.hpp>
#include <utility>

namespace davit::cronjob {

std::string job_name(const CronJob& cron_job, Instant start) {
  const auto minute = std::chrono::floor<std::chrono::minutes>(start);
  return std::string(cron_job.name()) + "-" + std::to_string(minute.time_since_epoch().count());
}

std::string job_body(const CronJob& cron_job, Instant start, const TimeZone& zone) {
  const Value job_template = cron_job.job_template();
  const Value metadata = job_template[&Names::metadata];
  JsonWriter body;
  body.begin_object().member("apiVersion", Job::kResource.api_version());
  body.member("kind", Job::kResource.kind).key("metadata").begin_object();
  body.member("name", job_name(cron_job, start)).member("namespace", cron_job.ns());
  body.member("labels", metadata[&Names::labels]);
  body.key("annotations").begin_object();
  for (const Member& each : metadata[&Names::annotations].members()) {
    if (each.key != kScheduledTimestamp) body.member(each.key, each.value);
  }
  body.member(kScheduledTimestamp, zone.text(start)).end_object();
  body.key("ownerReferences").begin_array();
  owner_identity(cron_job).write_controller_reference(body);
  body.end_array().end_object();
  body.member("spec", job_template[&Names::spec]).end_object();
  return std::move(body).text();
}

}  // namespace davit::cronjob
