#include "plugins/resourceclaim/consumer_sync.hpp"

#include <davit/mutant.hpp>
#include <functional>
#include <set>
#include <string>
#include <utility>

namespace davit::resourceclaim {
namespace {

using State = ClaimName::State;

constexpr std::string_view kManager = "ResourceClaimController";
constexpr std::string_view kFailed = "FailedResourceClaimCreation";
constexpr std::string_view kTemplateName = "resourceClaimTemplateName";

std::string kind_of(const Consumer& consumer) { return std::string(consumer.resource.kind); }

Status not_its(const Consumer& consumer, const Claim& claim) {
  const std::string kind = kind_of(consumer);
  return {Code::kInvalid, "ResourceClaim " + claim.key().text() + " was not created for " + kind +
                              " " + consumer.object.key().text() + " (" + kind + " is not owner)"};
}

/// Whether a request of the template is a prioritized list.
bool has_alternatives(const Template& from) {
  for (const Value each : from.spec()[&Names::spec]["devices"]["requests"].elements()) {
    if (each["firstAvailable"].count() > 0) return true;
  }
  return false;
}

}  // namespace

bool ConsumerSync::owns(const Consumer& consumer, const Claim& claim) const {
  if (!consumer.is_pod()) return consumer.owns(claim);
  return is_for_pod(claim, Pod(consumer.object.value()), parts_.groups());
}

bool ConsumerSync::is_made_by_group(const Pod& pod, Value entry) const {
  if (!parts_.pod_groups || group_of(pod).empty()) return false;
  const Lookup<PodGroup> group = parts_.pod_groups->get(pod.ns(), group_of(pod));
  // Once the group has made another claim, the pod's status has to name that one.
  return group && is_of_group(*group, entry) &&
         find_made(Consumer(*group), entry[&Names::name].string()).empty();
}

bool ConsumerSync::must_be_reserved(const Claim& claim, const Pod& pod) const {
  // The server refuses new consumers of a claim that is being deleted.
  return claim.is_allocated() && !claim.is_being_deleted() &&
         !is_reserved_for(claim, pod, parts_.groups());
}

bool ConsumerSync::needs_work(const Pod& pod) const {
  if (pod.is_being_deleted() || pod.is_finished()) return false;
  const Consumer consumer(pod);
  for (const Value each : consumer.claims().elements()) {
    const ClaimName name = claim_name(consumer, each);
    if (name.state == State::kNotNeeded) continue;
    if (name.state != State::kNamed) return true;
    const Lookup<Claim> claim = parts_.claims.get(pod.ns(), name.name);
    if (!claim) {
      if (name.is_made && !is_made_by_group(pod, each)) return true;
      continue;
    }
    if (name.is_made && !owns(consumer, *claim)) return true;
    if (!pod.node_name().empty() && must_be_reserved(*claim, pod)) return true;
  }
  return false;
}

bool ConsumerSync::needs_work(const PodGroup& group) const {
  if (group.is_being_deleted()) return false;
  const Consumer consumer(group);
  for (const Value each : consumer.claims().elements()) {
    const ClaimName name = claim_name(consumer, each);
    if (name.state == State::kNotNeeded) continue;
    if (name.state != State::kNamed) return true;
    if (!name.is_made) continue;
    const Lookup<Claim> claim = parts_.claims.get(group.ns(), name.name);
    if (!claim || !consumer.owns(*claim)) return true;
  }
  return false;
}

Result<Again> ConsumerSync::sync_pod(const Key& key) const {
  const Lookup<Pod> pod = parts_.pods.get(key);
  if (!pod || pod->is_being_deleted() || pod->is_finished()) return Again::when_changed();
  Lookup<PodGroup> group;
  if (parts_.pod_groups && !group_of(*pod).empty()) {
    group = parts_.pod_groups->get(pod->ns(), group_of(*pod));
    if (!group) {
      return Status(Code::kNotFound, "get PodGroup for Pod " + key.text() +
                                         ": podgroup.scheduling.k8s.io \"" +
                                         std::string(group_of(*pod)) + "\" not found");
    }
  }
  const Consumer consumer(*pod);
  MadeClaims made;
  if (Status s = make_claims(consumer, group, made); !s.ok()) return s;
  if (made.empty()) return reserve(*pod, group);
  const Result<Pod> written = apply<Pod>(consumer, made);
  if (!written) return written.error();
  return reserve(*written, group);
}

Result<Again> ConsumerSync::sync_group(const Key& key) const {
  const Lookup<PodGroup> group = parts_.pod_groups->get(key);
  if (!group || group->is_being_deleted()) return Again::when_changed();
  const Consumer consumer(*group);
  MadeClaims made;
  if (Status s = make_claims(consumer, {}, made); !s.ok()) return s;
  if (made.empty()) return Again::when_changed();
  const Result<PodGroup> written = apply<PodGroup>(consumer, made);
  if (!written) return written.error();
  return Again::when_changed();
}

Status ConsumerSync::make_claims(const Consumer& consumer, const Lookup<PodGroup>& group,
                                 MadeClaims& made) const {
  for (const Value each : consumer.claims().elements()) {
    const std::string entry(each[&Names::name].string());
    const Result<std::string> name = claim_for(consumer, group, each);
    if (name && name->empty()) continue;
    if (name) {
      made[entry] = *name;
      continue;
    }
    if (name.error().code() == Code::kCancelled) return name.error();
    const Status error = name.error().with_context(kind_of(consumer) + "ResourceClaim " + entry);
    parts_.cluster.events().record(consumer.resource, consumer.object, "Warning", kFailed,
                                   error.message());
    // As upstream's: "pod ns/name, PodResourceClaim …".
    return {error.code(), (consumer.is_pod() ? "pod " : "podgroup ") +
                              consumer.object.key().text() + ", " + error.message()};
  }
  return {};
}

Result<std::string> ConsumerSync::claim_for(const Consumer& consumer, const Lookup<PodGroup>& group,
                                            Value entry) const {
  const ClaimName name = claim_name(consumer, entry);
  if (Status s = check_name(consumer, entry, name); !s.ok()) {
    return s.with_context("checking for claim before creating it");
  }
  if (name.state == State::kNotNeeded) return std::string();
  if (name.state == State::kNamed) {
    const Lookup<Claim> claim = parts_.claims.get(consumer.object.ns(), name.name);
    if (claim && (!name.is_made || owns(consumer, *claim))) return std::string();
    if (claim) {
      parts_.cluster.log().warning(
          "A status names a claim of another owner",
          {{"object", consumer.object.key().text()}, {"claim", name.name}});
    }
  }
  if (!entry[kTemplateName].text()) return std::string();
  const std::string_view title = entry[&Names::name].string();
  if (group && is_of_group(*group, entry)) return find_made(Consumer(*group), title);
  std::string found = find_made(consumer, title);
  if (!found.empty()) return found;
  return create(consumer, entry);
}

std::string ConsumerSync::find_made(const Consumer& consumer, std::string_view entry) const {
  std::string out;
  for (const Claim& each : parts_.claims.controlled_by(consumer.identity())) {
    if (each.annotation(kPodClaimName) != entry) continue;
    if (out.empty() || each.name() < out) out = each.name();
  }
  return out;
}

Result<std::string> ConsumerSync::create(const Consumer& consumer, Value entry) const {
  const std::string_view name = entry[kTemplateName].string();
  const Lookup<Template> from = parts_.templates.get(consumer.object.ns(), name);
  if (!from) {
    const std::string quoted = "\"" + std::string(name) + "\"";
    return Status(Code::kNotFound, "resource claim template " + quoted +
                                       ": resourceclaimtemplate.resource.k8s.io " + quoted +
                                       " not found");
  }
  if (parts_.prioritized_lists == PrioritizedLists::kRefused && has_alternatives(*from)) {
    return Status(
        Code::kUnsupported,
        "template includes a prioritized list of subrequests, but the feature is disabled");
  }
  const Result<Claim> made = parts_.cluster.client().create<Claim>(
      consumer.object.ns(), claim_body(consumer, entry[&Names::name].string(), *from),
      {.answer = Answer::kMetadata});
  if (!made && made.error().code() == Code::kCancelled) return made.error();
  counts_.requested(from->spec()[&Names::spec], made.has_value());
  // The name that upstream puts into this text is empty at that time.
  if (!made) return made.error().with_context("create ResourceClaim ");
  return std::string(made->name());
}

template <typename View>
Result<View> ConsumerSync::apply(const Consumer& consumer, const MadeClaims& made) const {
  Result<View> written = parts_.cluster.client().patch<View>(
      consumer.object.key(), PatchType::kApply, statuses_body(consumer, made),
      {.subresource = "status", .field_manager = kManager, .force = true});
  if (written) return written;
  return written.error().with_context("update " +
                                      std::string(consumer.is_pod() ? "pod " : "podgroup ") +
                                      consumer.object.key().text() + " ResourceClaimStatuses");
}

Result<Again> ConsumerSync::reserve(const Pod& pod, const Lookup<PodGroup>& group) const {
  if (pod.node_name().empty()) return Again::when_changed();
  const Consumer consumer(pod);
  std::set<std::string, std::less<>> reserved;  // Two entries may name one claim.
  for (const Value each : consumer.claims().elements()) {
    const ClaimName name = claim_name(consumer, each);
    if (name.state == State::kNotNeeded || reserved.contains(name.name)) continue;
    // An event of the claim, or of the group that gets it, brings the pod again (D4).
    if (name.state != State::kNamed) return Again::when_changed();
    const Lookup<Claim> claim = parts_.claims.get(pod.ns(), name.name);
    if (!claim) return Again::when_changed();
    if (name.is_made && !owns(consumer, *claim)) return not_its(consumer, *claim);
    if (!must_be_reserved(*claim, pod)) continue;
    NewConsumer added{"", Pod::kResource.resource, pod.name(), pod.uid()};
    if (group && is_of_group(*group, each)) {
      added = {kScheduling, PodGroup::kResource.resource, group->name(), group->uid()};
    }
    const Result<Claim> written = parts_.cluster.client().patch<Claim>(
        claim->key(), PatchType::kMerge, reserve_patch(*claim, added),
        {.subresource = "status", .answer = Answer::kMetadata});
    if (!written) return written.error();
    reserved.emplace(name.name);
  }
  return Again::when_changed();
}

}  // namespace davit::resourceclaim
