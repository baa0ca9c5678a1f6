#include "lib/kube/patch/apply.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "lib/kube/patch/field_managers.hpp"
#include "lib/kube/patch/typed_walk.hpp"
#include "lib/kube/patch/version_changes.hpp"

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

/// The fields of an object, with those of structs that have children.
FieldSet named_fields(const Json& object, const Message* schema, const ResetFields& reset) {
  return with_named_fields(fields_of(object, schema, reset), schema);
}

FieldSet fields_left(const Json& object, const Message* schema, const ResetFields& reset) {
  FieldSet left = named_fields(object, schema, reset);
  left.child("f:metadata").member = true;  // It keeps the name, which has no owner.
  return left;
}

/// The versions in which fields have owners: `first`, and then the others.
std::vector<std::string> versions_of(Owners& owners, const std::string& first,
                                     const FieldManager& manager) {
  std::vector<std::string> out = {first};
  if (manager.convert == nullptr) return out;
  for (const ManagerEntry& each : owners.managers.entries()) {
    if (std::find(out.begin(), out.end(), each.api_version) == out.end()) {
      out.push_back(each.api_version);
    }
  }
  return out;
}

/// `pruned` with the fields of `merged` that have an owner in the version.
Result<Json> with_owned_fields(const Json& merged, Json pruned, const std::string& version,
                               Owners& owners, const Message* schema, const FieldManager& manager) {
  const Result<VersionedForm> all = in_version(merged, version, schema, manager);
  if (!all && all.error().code() == Code::kNotFound) return pruned;
  if (!all) return all.error();
  const Result<VersionedForm> left = in_version(pruned, version, schema, manager);
  if (!left) return left.error();
  FieldSet owned;
  const auto& entries = owners.managers.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (manager.convert != nullptr && entries[i].api_version != version) continue;
    owned = union_of(std::move(owned), owners.sets[i]);
  }
  const FieldSet kept = union_of(fields_left(left->object, all->schema, manager.reset_fields),
                                 with_named_fields(owned, all->schema));
  const FieldSet present = named_fields(all->object, all->schema, manager.reset_fields);
  return without_fields(all->object, difference_of(present, kept), all->schema);
}

/// `merged` without the fields of `last` that the applier set last time but not now, unless another
/// manager owns them. `version`: that of `last`. k8s: Updater.prune of structured-merge-diff/merge.
Result<Json> pruned(const Json& merged, const FieldSet& last, const std::string& version,
                    Owners& owners, const Message* schema, const FieldManager& manager) {
  if (last.empty()) return merged;
  const Result<VersionedForm> all = in_version(merged, version, schema, manager);
  if (!all && all.error().code() == Code::kNotFound) return merged;
  if (!all) return all.error();
  const FieldSet last_named = with_named_fields(last, all->schema);
  Json rest = without_fields(all->object, last_named, all->schema);
  for (const std::string& each : versions_of(owners, version, manager)) {
    Result<Json> next = with_owned_fields(merged, std::move(rest), each, owners, schema, manager);
    if (!next) return next.error();
    rest = std::move(*next);
  }
  const Result<VersionedForm> left = in_version(rest, version, schema, manager);
  if (!left) return left.error();
  const FieldSet gone = difference_of(named_fields(all->object, all->schema, manager.reset_fields),
                                      fields_left(left->object, all->schema, manager.reset_fields));
  const Json out = without_fields(all->object, intersection_of(gone, last_named), all->schema);
  Result<VersionedForm> own = in_version(out, manager.api_version, schema, manager);
  if (!own) return own.error();
  return std::move(own->object);
}

struct Conflicts {
  std::vector<FieldSet> sets;     ///< The fields taken from each entry.
  std::vector<FieldSet> removed;  ///< Those that are gone, in the version of each entry.
  std::vector<ApplyConflict> shown;
};

Result<Conflicts> conflicts_of(Owners& owners, VersionChanges& changes, const FieldSet& allowed) {
  Conflicts out;
  std::map<std::string, std::vector<std::string>> by_manager;
  const auto& entries = owners.managers.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    out.sets.emplace_back();
    out.removed.emplace_back();
    if (i == owners.applier) continue;
    const Result<const Comparison*> found = changes.in(entries[i].api_version);
    if (!found) return found.error();
    if (*found == nullptr) {
      owners.sets[i] = {};  // Nothing is left of its version.
      continue;
    }
    out.sets.back() = intersection_of(owners.sets[i], (*found)->changed);
    out.removed.back() = (*found)->removed;
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
      set = difference_of(difference_of(set, conflicts.sets[i]), conflicts.removed[i]);
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

/// The error of a server whose conversion fails.
ApplyOutcome not_converted(const Status& why) {
  return {PatchError{reason::kUnnamed, why.message()}, {}};
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
  const std::string last_version = owners.managers.entries()[owners.applier].api_version;
  const FieldSet last = std::exchange(owners.sets[owners.applier], std::move(said));
  // Its fields are those of this version from now on.
  owners.managers.entries()[owners.applier].api_version = manager.api_version;
  const Result<Json> result =
      pruned(merged_object(live, applied, schema), last, last_version, owners, schema, manager);
  if (!result) return not_converted(result.error());
  owners.managers.entries()[owners.applier].api_version = last_version;
  VersionChanges changes(live, *result, schema, manager);

  const bool kubectl = manager.name == kKubectl;
  const FieldSet allowed =
      kubectl ? fields_as_last_applied(live, schema, manager.reset_fields) : FieldSet();
  Result<Conflicts> found = conflicts_of(owners, changes, allowed);
  if (!found) return not_converted(found.error());
  Conflicts& conflicts = *found;
  if (force == Force::kNo && !conflicts.shown.empty()) {
    return {std::nullopt, std::move(conflicts.shown)};
  }
  const Comparison own = changes.own();
  live = *result;
  if (kubectl) update_last_applied(live, applied);
  store_owners(std::move(owners), conflicts, own, live, manager);
  return {};
}

}  // namespace davit
