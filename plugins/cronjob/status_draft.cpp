#include "plugins/cronjob/status_draft.hpp"

#include <algorithm>
#include <chrono>
#include <davit/json_writer.hpp>
#include <utility>

namespace davit::cronjob {
namespace {

std::optional<Instant> whole_seconds(std::optional<WallTime> time) {
  if (!time) return std::nullopt;
  return std::chrono::floor<std::chrono::seconds>(*time);
}

}  // namespace

JobReference JobReference::read(Value value) {
  return {.json = value.json(),
          .ns = std::string(value[&Names::ns].string()),
          .name = std::string(value[&Names::name].string()),
          .uid = std::string(value[&Names::uid].string())};
}

JobReference JobReference::to(const Job& job) {
  JsonWriter out;
  out.begin_object().member("apiVersion", Job::kResource.api_version());
  out.member("kind", Job::kResource.kind).member("namespace", job.ns());
  out.member("name", job.name()).member("uid", job.uid());
  out.member("resourceVersion", job.resource_version()).end_object();
  return {.json = std::move(out).text(),
          .ns = std::string(job.ns()),
          .name = std::string(job.name()),
          .uid = std::string(job.uid())};
}

StatusDraft::StatusDraft(const CronJob& cron_job)
    : stored_schedule_(whole_seconds(cron_job.last_schedule_time())),
      last_schedule_(stored_schedule_),
      stored_successful_(cron_job.last_successful_time()),
      last_successful_(stored_successful_) {
  for (const Value each : cron_job.active().elements()) {
    active_.push_back(JobReference::read(each));
  }
}

bool StatusDraft::lists(std::string_view uid) const {
  return std::any_of(active_.begin(), active_.end(),
                     [uid](const JobReference& each) { return each.uid == uid; });
}

bool StatusDraft::lists_name(std::string_view ns, std::string_view name) const {
  return std::any_of(active_.begin(), active_.end(),
                     [&](const JobReference& each) { return each.ns == ns && each.name == name; });
}

void StatusDraft::rebase(const CronJob& newer) {
  StatusDraft rebased(newer);
  for (const std::string& uid : removed_) rebased.remove(uid);
  if (last_schedule_ != stored_schedule_) rebased.last_schedule_ = last_schedule_;
  if (last_successful_) rebased.set_last_successful(*last_successful_);
  *this = std::move(rebased);
}

void StatusDraft::add(const Job& job) {
  active_.push_back(JobReference::to(job));
  has_new_active_ = true;
}

void StatusDraft::remove(std::string_view uid) {
  const auto gone = std::erase_if(active_, [uid](const auto& each) { return each.uid == uid; });
  has_new_active_ = has_new_active_ || gone > 0;
  removed_.emplace_back(uid);
}

void StatusDraft::set_last_successful(WallTime time) {
  last_successful_ = std::max(last_successful_.value_or(time), time);
}

std::string StatusDraft::text_of_changes() const {
  JsonWriter out;
  if (has_new_active_) {
    out.key("active");
    if (active_.empty()) {
      out.null();
    } else {
      out.begin_array();
      for (const JobReference& each : active_) out.raw(each.json);
      out.end_array();
    }
  }
  if (last_schedule_ != stored_schedule_) {
    out.member("lastScheduleTime", TimeZone().text(*last_schedule_));
  }
  if (last_successful_ != stored_successful_) {
    out.member("lastSuccessfulTime", format_time(*last_successful_));
  }
  return std::move(out).text();
}

std::string StatusDraft::patch(const CronJob& cron_job) const {
  JsonWriter body;
  body.begin_object().key("metadata").begin_object();
  body.member("resourceVersion", cron_job.resource_version()).end_object();
  body.key("status").raw("{" + text_of_changes() + "}").end_object();
  return std::move(body).text();
}

}  // namespace davit::cronjob
