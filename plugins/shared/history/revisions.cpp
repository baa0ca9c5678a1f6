#include "plugins/shared/history/revisions.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <davit/json_writer.hpp>
#include <davit/writes.hpp>
#include <utility>

namespace davit::history {
namespace {

constexpr std::array kRenumberPauses{std::chrono::milliseconds(10), std::chrono::milliseconds(50),
                                     std::chrono::milliseconds(250)};

bool precedes(const ControllerRevision& a, const ControllerRevision& b) {
  if (a.revision() != b.revision()) return a.revision() < b.revision();
  if (a.creation_time() != b.creation_time()) return a.creation_time() < b.creation_time();
  return a.name() < b.name();
}

/// A merge patch, which needs no whole object: the caches have projections.
std::string renumbered(const ControllerRevision& revision, std::int64_t number) {
  JsonWriter body;
  body.begin_object().key("metadata").begin_object();
  body.member("uid", revision.uid()).member("resourceVersion", revision.resource_version());
  body.end_object().member("revision", number).end_object();
  return std::move(body).text();
}

}  // namespace

void sort_revisions(std::vector<ControllerRevision>& revisions) {
  std::sort(revisions.begin(), revisions.end(), precedes);
}

std::int64_t next_revision(std::span<const ControllerRevision> sorted) {
  return sorted.empty() ? 1 : sorted.back().revision() + 1;
}

std::string revision_body(const NewRevision& revision) {
  JsonWriter body;
  body.begin_object().member("apiVersion", ControllerRevision::kResource.api_version());
  body.member("kind", ControllerRevision::kResource.kind).key("metadata").begin_object();
  body.member("name", revision.key.name).member("namespace", revision.key.ns);
  body.key("labels").begin_object();
  for (const Member& label : revision.template_labels.members()) {
    if (label.key != revision.hash.key) body.member(label.key, label.value);
  }
  body.member(revision.hash.key, revision.hash.value).end_object();
  body.member("annotations", revision.annotations);
  body.key("ownerReferences").begin_array();
  revision.owner.write_controller_reference(body);
  body.end_array().end_object();
  body.key("data").raw(revision.data).member("revision", revision.number).end_object();
  return std::move(body).text();
}

Result<std::optional<ControllerRevision>> create_revision(const Client& client,
                                                          const NewRevision& revision,
                                                          Numbers numbers) {
  const Result<ControllerRevision> created =
      client.create<ControllerRevision>(revision.key.ns, revision_body(revision));
  if (created) return std::optional(*created);
  if (created.error().code() != Code::kAlreadyExists) return created.error();
  const Result<ControllerRevision> present = client.get<ControllerRevision>(revision.key);
  if (!present) return present.error();
  if (has_data(*present, revision.data, numbers)) return std::optional(*present);
  return std::optional<ControllerRevision>();
}

Result<ControllerRevision> renumber(const Context& context,
                                    const Informer<ControllerRevision>& cache,
                                    const ControllerRevision& revision, std::int64_t number) {
  ControllerRevision latest = revision;
  const Status written = retry_on_conflict(context, kRenumberPauses, [&]() -> Status {
    if (latest.revision() == number) return {};
    const Result<ControllerRevision> response = context.client().patch<ControllerRevision>(
        revision.key(), PatchType::kMerge, renumbered(latest, number));
    if (response) {
      latest = *response;
    } else if (const Lookup<ControllerRevision> cached = cache.get(revision.key())) {
      latest = *cached;
    }
    return response.error();
  });
  if (!written.ok()) return written;
  return latest;
}

std::span<const ControllerRevision> surplus(std::span<const ControllerRevision> dead,
                                            std::size_t counted, std::int64_t limit) {
  if (limit < 0 || counted <= static_cast<std::size_t>(limit)) return {};
  return dead.first(std::min(dead.size(), counted - static_cast<std::size_t>(limit)));
}

Status delete_revisions(const Client& client, std::span<const ControllerRevision> revisions) {
  for (const ControllerRevision& each : revisions) {
    if (Status s = client.remove<ControllerRevision>(each.key()); !s.ok()) return s;
  }
  return {};
}

}  // namespace davit::history
