#include <davit/controller_ref_manager.hpp>
#include <davit/kube/time.hpp>
#include <davit/mutant.hpp>
#include <set>

namespace davit {

Status join_errors(const std::vector<Status>& errors) {
  if (errors.empty()) return {};
  std::set<std::string_view> texts;
  std::string text = "[";
  for (const Status& each : errors) {
    if (!texts.insert(each.message()).second) continue;
    if (texts.size() > 1) text += ", ";
    text += each.message();
  }
  text += "]";
  if (texts.size() == 1) return errors.front();
  const ApiDetail* detail = errors.front().detail();
  return detail == nullptr ? Status(errors.front().code(), std::move(text))
                           : Status(errors.front().code(), std::move(text), *detail);
}

namespace detail {

ClaimAction claim_action(const ObjectView& owner, const ObjectView& object, bool matches) {
  if (const std::optional<OwnerReference> controller = object.controller()) {
    if (controller->uid() != owner.uid()) return ClaimAction::kIgnore;
    if (matches || mutant("orphan-release")) return ClaimAction::kKeep;
    return owner.is_being_deleted() ? ClaimAction::kIgnore : ClaimAction::kRelease;
  }
  const bool adoptable = matches && !owner.is_being_deleted() && !object.is_being_deleted() &&
                         object.ns() == owner.ns();
  return adoptable ? ClaimAction::kAdopt : ClaimAction::kIgnore;
}

Status ask_can_adopt(const Client& client, const Resource& resource, const ObjectView& owner) {
  if (mutant("can-adopt")) return {};
  const std::string name = owner.key().text();
  const Result<Value> got = client.call(Request::get(resource, owner.key()));
  if (!got) return got.error();
  const ObjectView live(*got);
  if (live.uid() != owner.uid()) {
    return Status(Code::kConflict, "original " + std::string(resource.kind) + " " + name +
                                       " is gone: got uid " + std::string(live.uid()) +
                                       ", wanted " + std::string(owner.uid()));
  }
  if (!live.is_being_deleted()) return {};
  const std::optional<WallTime> at = live.deletion_time();
  return Status(Code::kConflict, name + " has just been deleted at " +
                                     (at ? format_time(*at) : std::string("an unknown time")));
}

}  // namespace detail

}  // namespace davit
