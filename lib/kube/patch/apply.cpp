#include "lib/kube/patch/apply.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "lib/kube/patch/field_managers.hpp"
#include "lib/kube/patch/typed_walk.hpp"

namespace davit {

namespace {

/// The only manager for which kLastApplied is looked at.
constexpr std::string_view kKubectl = "kubectl";
/// The annotation in which kubectl keeps what it applied before the server could: its owner may
/// move to server-side apply without conflicts with itself.
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/// Fields that still have the value of the annotation: taking those over is not a conflict.
FieldSet fields_as_last_applied(const Json& live, const Message* schema, const ResetFields& reset) {
  const Result<Json> last = parse_json(live.text_at({"metadata", "annotations", kLastApplied}));
  if (!last || !last->is_object()) return {};
  const Comparison changes = compare_objects(*last, live, schema, reset);
  return difference_of(difference_of(fields_of(*last, schema, reset), changes.changed),
                       changes.removed);
}

/// Makes the annotation, where there is one, say `applied`.
void update_last_applied(Json& object, const Json& applied) {
  Json* annotations = object.at({"metadata", "annotations"});
  if (annotations == nullptr || annotations->get(kLastApplied).text().empty()) return;
  Json said = applied;
  if (Json* metadata = said.find("metadata")) {
    metadata->erase("managedFields");
    if (Json* own = metadata->find("annotations")) {
      own->erase(kLastApplied);
      if (own->size() == 0) metadata->erase("annotations");
    }
  }
  annotations->set(kLastApplied, to_canonical_text(said) + '\n');
}

/// The manager of the fields that an object had before it was applied for the first time.
constexpr std::string_view kBeforeFirstApply = "before-first-apply";

/// The sets of all managers, entry by entry.
struct Owners {
  FieldManagers managers;
  std::vector<FieldSet> sets;
  std::size_t applier = 0;  ///< The entry of who applies now.
};

Owners owners_of(const Json& live, const Message* schema, const FieldManager& manager) {
  Owners out;
  const Json* stored = live.at({"metadata", "managedFields"});
  if (stored != nullptr && FieldManagers::valid(*stored)) {
    out.managers = *FieldManagers::parse(*stored);
  }
  if (out.managers.empty() && !live.is_null()) {
    ManagerEntry first = entry_of(manager, Operation::kUpdate);
    first.manager = kBeforeFirstApply;
    first.fields = to_fields(compare_objects(Json(), live, schema, manager.reset_fields).changed);
    if (first.fields.size() != 0) out.managers.entries().push_back(std::move(first));
  }
  expand_owned_maps(out.managers, live, schema);
  const ManagerEntry mine = entry_of(manager, Operation::kApply);
  if (out.managers.find(mine) == nullptr) out.managers.entries().push_back(mine);
  for (const ManagerEntry& each : out.managers.entries()) {
    out.sets.push_back(parse_fields(each.fields).value_or({}));
    if (each.same_manager(mine)) out.applier = out.sets.size() - 1;
  }
  return out;
}

PatchOutcome check_applied(const Json& applied, const std::vector<std::string>& problems) {
  if (const Json* entries = applied.at({"metadata", "managedFields"});
      entries != nullptr && !entries->is_null()) {
    return PatchError{reason::kBadRequest, "metadata.managedFields must be nil"};
  }
  if (problems.empty()) return std::nullopt;
  const std::string& api_version = applied.text_at({"apiVersion"});
  const std::string begin = "failed to create typed patch object (" +
                            applied.text_at({"metadata", "namespace"}) + '/' +
                            applied.text_at({"metadata", "name"}) + "; " +
                            (api_version.find('/') == std::string::npos ? "/" : "") + api_version +
                            ", Kind=" + applied.text_at({"kind"}) + "): ";
  return PatchError{reason::kUnnamed, begin + joined_problems(problems)};
}

/// `merged` without the fields that the applier set last time but not now, unless another manager
/// owns them.
Json pruned(const Json& merged, const FieldSet& last, const Owners& owners, const Message* schema,
            const ResetFields& reset) {
  if (last.empty()) return merged;
  const FieldSet all = with_named_fields(fields_of(merged, schema, reset), schema);
  const FieldSet last_named = with_named_fields(last, schema);
  FieldSet owned;
  for (const FieldSet& each : owners.sets) owned = union_of(std::move(owned), each);
  owned = with_named_fields(owned, schema);

  const auto left_in = [&](const Json& object) {
    FieldSet left = with_named_fields(fields_of(object, schema, reset), schema);
    left.child("f:metadata").member = true;  // It keeps the name, which has no owner.
    return left;
  };
  const Json without_last = without_fields(merged, last_named, schema);
  const FieldSet kept = union_of(left_in(without_last), owned);
  const Json without_unowned = without_fields(merged, difference_of(all, kept), schema);
  const FieldSet gone = difference_of(all, left_in(without_unowned));
  return without_fields(merged, intersection_of(gone, last_named), schema);
}

struct Conflicts {
  std::vector<FieldSet> sets;  ///< The fields taken from each entry.
  std::vector<ApplyConflict> shown;
};

Conflicts conflicts_of(Owners& owners, const FieldSet& changed, const FieldSet& allowed) {
  Conflicts out;
  std::map<std::string, std::vector<std::string>> by_manager;
  const auto& entries = owners.managers.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    out.sets.push_back(i == owners.applier ? FieldSet() : intersection_of(owners.sets[i], changed));
    const FieldSet refused = difference_of(out.sets.back(), allowed);
    if (!refused.empty()) by_manager[entries[i].text()] = path_texts(refused);
  }
  for (auto& [manager, paths] : by_manager) {
    for (std::string& each : paths) out.shown.push_back({manager, std::move(each)});
  }
  return out;
}

void store_owners(Owners owners, const Conflicts& conflicts, const Comparison& changes, Json& live,
                  const FieldManager& manager) {
  auto& entries = owners.managers.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    FieldSet set = std::move(owners.sets[i]);
    if (i != owners.applier) {
      set = difference_of(difference_of(set, conflicts.sets[i]), changes.removed);
    }
    Json fields = to_fields(set);
    if (i == owners.applier && (!changes.same() || fields != entries[i].fields)) {
      entries[i].time = manager.time;
      entries[i].api_version = manager.api_version;
    }
    entries[i].fields = std::move(fields);
  }
  owners.managers.merge_old_updates();
  owners.managers.store(live);
}

}  // namespace

std::string conflict_message(const std::vector<ApplyConflict>& conflicts) {
  if (conflicts.size() == 1) {
    return "Apply failed with 1 conflict: conflict with " + conflicts[0].manager + ": " +
           conflicts[0].field;
  }
  std::map<std::string, std::string> by_manager;
  for (const ApplyConflict& each : conflicts) by_manager[each.manager] += "\n- " + each.field;
  std::string out = "Apply failed with " + std::to_string(conflicts.size()) + " conflicts: ";
  for (const auto& [manager, fields] : by_manager) {
    if (!out.ends_with(' ')) out += '\n';
    out += "conflicts with " + manager + ':' + fields;
  }
  return out;
}

ApplyOutcome server_side_apply(Json& live, const Json& applied, const Message* schema,
                               const FieldManager& manager, Force force) {
  std::vector<std::string> problems;
  FieldSet said = fields_of(applied, schema, manager.reset_fields, &problems);
  if (PatchOutcome error = check_applied(applied, problems)) return {std::move(error), {}};

  Owners owners = owners_of(live, schema, manager);
  const FieldSet last = std::exchange(owners.sets[owners.applier], std::move(said));
  const Json result =
      pruned(merged_object(live, applied, schema), last, owners, schema, manager.reset_fields);
  const Comparison changes = compare_objects(live, result, schema, manager.reset_fields);

  const bool kubectl = manager.name == kKubectl;
  const FieldSet allowed =
      kubectl ? fields_as_last_applied(live, schema, manager.reset_fields) : FieldSet();
  Conflicts conflicts = conflicts_of(owners, changes.changed, allowed);
  if (force == Force::kNo && !conflicts.shown.empty()) {
    return {std::nullopt, std::move(conflicts.shown)};
  }
  live = result;
  if (kubectl) update_last_applied(live, applied);
  store_owners(std::move(owners), conflicts, changes, live, manager);
  return {};
}

}  // namespace davit
