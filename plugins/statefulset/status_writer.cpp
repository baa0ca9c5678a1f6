#include "plugins/statefulset/status_writer.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <davit/json_writer.hpp>
#include <davit/writes.hpp>
#include <string_view>
#include <utility>

namespace davit::statefulset {
namespace {

using std::chrono::milliseconds;
constexpr std::array kPauses{milliseconds(10), milliseconds(10), milliseconds(10),
                             milliseconds(10)};

constexpr std::array<std::string_view, 9> kMembers{
    "observedGeneration", "replicas",        "readyReplicas",
    "availableReplicas",  "currentReplicas", "updatedReplicas",
    "currentRevision",    "updateRevision",  "collisionCount"};

}  // namespace

std::string status_patch(const StatefulSet& set, const SetStatus& status) {
  JsonWriter body;
  body.begin_object().key("metadata").begin_object();
  body.member("uid", set.uid()).member("resourceVersion", set.resource_version()).end_object();
  body.key("status").begin_object();
  const std::array numbers{status.observed_generation, status.replicas, status.ready,
                           status.available,           status.current,  status.updated};
  for (std::size_t i = 0; i < numbers.size(); ++i) body.member(kMembers[i], numbers[i]);
  body.member("currentRevision", status.current_revision);
  body.member("updateRevision", status.update_revision);
  body.member("collisionCount", status.collision_count);
  for (const Member& each : set.status().members()) {
    if (std::find(kMembers.begin(), kMembers.end(), each.key) != kMembers.end()) continue;
    body.key(each.key).null();
  }
  body.end_object().end_object();
  return std::move(body).text();
}

Status StatusWriter::write(const StatefulSet& set, const SetStatus& status) const {
  if (!is_worth_a_write(read_status(set.status()), status)) return {};
  StatefulSet latest = set;
  return retry_on_conflict(cluster_, kPauses, [&]() -> Status {
    Status written =
        cluster_.client()
            .patch<StatefulSet>(set.key(), PatchType::kMerge, status_patch(latest, status),
                                {.subresource = "status", .answer = Answer::kMetadata})
            .error();
    if (written.code() != Code::kConflict) return written;
    const Lookup<StatefulSet> cached = sets_.get(set.key());
    // A recreated set gets its own status.
    if (cached && cached->uid() == set.uid()) latest = *cached;
    return written;
  });
}

}  // namespace davit::statefulset
