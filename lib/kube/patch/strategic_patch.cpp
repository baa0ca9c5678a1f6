// Strategic merge patches as k8s.io/apimachinery/pkg/util/strategicpatch applies them.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lib/kube/patch/list_order.hpp"
#include "lib/kube/patch/patch.hpp"
#include "lib/kube/patch/value_type.hpp"

namespace davit {

namespace {

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kSetElementOrder = "$setElementOrder/";
constexpr std::string_view kDeleteFromPrimitiveList = "$deleteFromPrimitiveList/";

/// Errors that the server does not classify become a 500 with their text.
PatchError internal_error(std::string message) { return {reason::kUnnamed, std::move(message)}; }
PatchError bad_request(std::string message) { return {reason::kBadRequest, std::move(message)}; }
PatchError no_merge_key(const Json& element, const std::string& key) {
  return internal_error("map: " + go_text(element) +
                        " does not contain declared merge key: " + key);
}
PatchError bad_directive(const Json& directive, const Json& parent) {
  return internal_error("unknown patch type: " + go_text(directive) +
                        " in map: " + go_text(parent));
}
PatchError no_list(const Json& value) {
  return internal_error("expected a []interface {}, but received a " +
                        std::string(value.is_object() ? "map[string]interface {}" : "string"));
}

/// Prepares the value of a patch for a position that was empty: without directives and nulls. False
/// if it requests its own removal.
bool strip_directives(Json& json) {
  if (json.is_array()) {
    std::erase_if(json.make_array(), [](Json& each) { return !strip_directives(each); });
    return true;
  }
  if (!json.is_object()) return true;
  if (json.text_at({kDirective}) == "delete") return false;
  std::erase_if(json.make_object(), [](Json::Member& each) {
    return each.value.is_null() || each.key == kDirective || each.key == kRetainKeys ||
           each.key.starts_with(kSetElementOrder) ||
           each.key.starts_with(kDeleteFromPrimitiveList) || !strip_directives(each.value);
  });
  return true;
}

/// The schema of a member: how to merge it, and the type of its content.
struct FieldPlan {
  const Message* message = nullptr;
  ElementIdentity identity{""};
  bool merge = false;    ///< A list that is merged, not replaced.
  bool replace = false;  ///< A struct that is replaced, not merged.
};

FieldPlan plan_for(const Message* message, std::string_view name) {
  const Field* field = message == nullptr ? nullptr : find_field(*message, name);
  if (field == nullptr) return {};
  // The values of a map from strings have no fields of their own that could be looked up by name.
  const Message* inner = field->shape == FieldShape::kMap ? nullptr : field->message;
  return {inner, ElementIdentity(field->merge_key),
          field->merge_primitives || !field->merge_key.empty(), field->replace};
}

PatchOutcome merge_map(Json& object, Json patch, const Message* message);

PatchOutcome check_directive(Json& object, Json& patch, const Json& directive) {
  if (directive == Json("replace")) {
    patch.erase(kDirective);
    object = std::move(patch);
    return std::nullopt;
  }
  if (directive == Json("delete")) {
    object = Json(Json::Members());
    return std::nullopt;
  }
  return bad_directive(directive, patch);
}

PatchOutcome retain_keys(Json& object, Json& patch) {
  const Json* found = patch.find(kRetainKeys);
  if (found == nullptr) return std::nullopt;
  const Json kept = *found;
  patch.erase(kRetainKeys);
  if (!kept.is_array()) return bad_request("invalid patch format of retainKeys");
  std::unordered_set<std::string> names;
  for (const Json& each : kept.items()) names.insert(each.text());
  const auto retained = [&](const std::string& key) { return names.contains(key); };
  for (const Json::Member& each : patch.members()) {
    const bool directive =
        each.key.starts_with(kDeleteFromPrimitiveList) || each.key.starts_with(kSetElementOrder);
    if (each.value.is_null() || directive || retained(each.key)) continue;
    return bad_request("invalid patch format of retainKeys");
  }
  std::erase_if(object.make_object(),
                [&](const Json::Member& each) { return !retained(each.key); });
  return std::nullopt;
}

/// Values of one list that a merge unites: the stored ones, then the new ones, each once.
Json::Items united(const Json::Items& stored, const Json::Items& added) {
  Json::Items out;
  std::unordered_set<std::string> seen;
  for (const Json::Items* list : {&stored, &added}) {
    for (const Json& each : *list) {
      if (seen.insert(to_canonical_text(each)).second) out.push_back(each);
    }
  }
  return out;
}

/// Carries out the elements of a patch that are directives and takes them out of it.
PatchOutcome run_element_directives(Json::Items& list, Json::Items& patch,
                                    const ElementIdentity& identity) {
  Json::Items plain;
  std::unordered_set<std::string> deleted;
  bool replace = false;
  for (Json& each : patch) {
    const Json* directive = each.find(kDirective);
    if (directive == nullptr) {
      plain.push_back(std::move(each));
    } else if (directive->text() == "delete") {
      const Json* id = identity.of(each);
      if (id == nullptr) return no_merge_key(each, identity.key());
      deleted.insert(to_canonical_text(*id));
    } else if (directive->text() == "replace") {
      replace = true;
    } else if (directive->text() == "merge") {
      return internal_error("merging lists cannot yet be specified in the patch");
    } else {
      return bad_directive(*directive, each);
    }
  }
  patch = std::move(plain);
  if (!deleted.empty()) {
    std::erase_if(list, [&](const Json& stored) {
      const Json* id = identity.of(stored);
      return id != nullptr && deleted.contains(to_canonical_text(*id));
    });
  }
  if (replace) list = std::exchange(patch, {});
  return std::nullopt;
}

PatchOutcome check_elements(const Json::Items& list, const Json::Items& patch,
                            const ElementIdentity& identity) {
  for (const Json::Items* each : {&list, &patch}) {
    for (const Json& element : *each) {
      if (element.is_array()) {
        return PatchError{reason::kInvalid, "lists of lists are not supported"};
      }
      if (identity.by_key() != element.is_object()) {
        return internal_error("list element types are not identical");
      }
    }
  }
  return std::nullopt;
}

PatchOutcome merge_list(Json& target, Json::Items patch, const FieldPlan& plan) {
  Json::Items& list = target.make_array();
  if (PatchOutcome failed = check_elements(list, patch, plan.identity)) return failed;
  if (!plan.identity.by_key()) {
    list = ordered(united(list, patch), patch, list, plan.identity);
    return std::nullopt;
  }
  if (PatchOutcome failed = run_element_directives(list, patch, plan.identity)) return failed;
  Json::Items merged = list;
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < merged.size(); ++i) {
    if (const Json* id = plan.identity.of(merged[i])) places.emplace(to_canonical_text(*id), i);
  }
  for (const Json& each : patch) {
    const Json* id = plan.identity.of(each);
    if (id == nullptr) return no_merge_key(each, plan.identity.key());
    const auto [found, fresh] = places.emplace(to_canonical_text(*id), merged.size());
    if (!fresh) {
      Json& stored = merged[found->second];
      if (PatchOutcome failed = merge_map(stored, each, plan.message)) return failed;
    } else {
      Json added = each;
      (void)strip_directives(added);
      merged.push_back(std::move(added));
    }
  }
  for (const Json& each : merged) {
    if (plan.identity.of(each) == nullptr) return no_merge_key(each, plan.identity.key());
  }
  list = ordered(std::move(merged), patch, list, plan.identity);
  return std::nullopt;
}

/// Whether the elements of `patch` appear in `order`, in its order.
bool follows(const Json::Items& patch, const Json::Items& order, const ElementIdentity& identity) {
  auto next = order.begin();
  for (const Json& each : patch) {
    if (identity.by_key() && each.text_at({kDirective}) == "delete") continue;
    const Json* id = identity.of(each);
    next = std::find_if(next, order.end(), [&](const Json& wanted) {
      const Json* other = identity.of(wanted);
      return id != nullptr && other != nullptr && *other == *id;
    });
    if (next == order.end()) return false;
    ++next;
  }
  return true;
}

/// One $setElementOrder directive together with the list of the patch that it belongs to.
PatchOutcome merge_in_order(Json& object, Json& patch, const std::string& name, const Json& order,
                            const Message* message) {
  if (!order.is_array()) return no_list(order);
  const Json* change = patch.find(name);
  Json* stored = object.find(name);
  if (change != nullptr && !change->is_array()) return no_list(*change);
  if (stored != nullptr && !stored->is_array()) return no_list(*stored);
  if (message != nullptr && find_field(*message, name) == nullptr) {
    return internal_error("unable to find api field in struct " + message->go_name +
                          " for the json field \"" + name + '"');
  }
  const FieldPlan plan = plan_for(message, name);
  const Json::Items changes = change == nullptr ? Json::Items() : change->items();
  if (!follows(changes, order.items(), plan.identity)) {
    return internal_error("The order in patch list:\n" + go_text(Json(changes)) +
                          "\n doesn't match $setElementOrder list:\n" + go_text(order) + "\n");
  }
  for (const Json& each : order.items()) {
    if (plan.identity.of(each) == nullptr) return no_merge_key(each, plan.identity.key());
  }
  const Json::Items before = stored == nullptr ? Json::Items() : stored->items();
  if (stored == nullptr && change != nullptr) {
    Json added = *change;
    (void)strip_directives(added);
    object.set(name, std::move(added));
  } else if (change != nullptr && plan.merge) {
    if (PatchOutcome failed = merge_list(*stored, changes, plan)) return failed;
  } else if (change != nullptr) {
    *stored = *change;
  }
  patch.erase(name);
  if (Json* merged = object.find(name)) {
    *merged = ordered(std::move(merged->make_array()), order.items(), before, plan.identity);
  }
  return std::nullopt;
}

PatchOutcome merge_orders(Json& object, Json& patch, const Message* message) {
  Json::Members orders;
  for (const Json::Member& each : patch.members()) {
    if (each.key.starts_with(kSetElementOrder)) orders.push_back(each);
  }
  if (orders.empty()) return std::nullopt;
  std::erase_if(patch.make_object(),
                [](const Json::Member& each) { return each.key.starts_with(kSetElementOrder); });
  for (const Json::Member& each : orders) {
    const std::string name = each.key.substr(kSetElementOrder.size());
    if (PatchOutcome failed = merge_in_order(object, patch, name, each.value, message)) {
      return failed;
    }
  }
  return std::nullopt;
}

PatchOutcome delete_primitives(Json& object, std::string_view name, const Json& values) {
  Json* list = object.find(name);
  if (list == nullptr || values.is_null()) return std::nullopt;
  if (!values.is_array() || !list->is_array()) {
    return bad_request("invalid patch format of primitive list");
  }
  std::unordered_set<std::string> deleted;
  for (const Json& each : values.items()) deleted.insert(to_canonical_text(each));
  std::erase_if(list->make_array(),
                [&](const Json& each) { return deleted.contains(to_canonical_text(each)); });
  return std::nullopt;
}

PatchOutcome merge_member(Json& object, Json::Member& change, const Message* message) {
  if (change.key.starts_with(kDeleteFromPrimitiveList)) {
    const auto name = std::string_view(change.key).substr(kDeleteFromPrimitiveList.size());
    return delete_primitives(object, name, change.value);
  }
  if (change.value.is_null()) {
    object.erase(change.key);
    return std::nullopt;
  }
  Json* present = object.find(change.key);
  if (present != nullptr && present->kind() == change.value.kind()) {
    const FieldPlan plan = plan_for(message, change.key);
    if (present->is_object() && !plan.replace)
      return merge_map(*present, std::move(change.value), plan.message);
    if (present->is_array() && plan.merge) {
      return merge_list(*present, change.value.items(), plan);
    }
    *present = std::move(change.value);
    return std::nullopt;
  }
  if (strip_directives(change.value)) {
    object.set(change.key, std::move(change.value));
  } else {
    object.erase(change.key);
  }
  return std::nullopt;
}

PatchOutcome merge_map(Json& object, Json patch, const Message* message) {
  if (const Json* directive = patch.find(kDirective)) {
    const Json copy = *directive;
    return check_directive(object, patch, copy);
  }
  if (PatchOutcome failed = retain_keys(object, patch)) return failed;
  if (PatchOutcome failed = merge_orders(object, patch, message)) return failed;
  for (Json::Member& each : patch.make_object()) {
    if (PatchOutcome failed = merge_member(object, each, message)) return failed;
  }
  return std::nullopt;
}

void append_go(std::string& out, const Json& json) {
  if (json.is_null()) {
    out += "<nil>";
  } else if (json.is_string()) {
    out += json.text();
  } else if (json.is_array()) {
    out += '[';
    for (const Json& each : json.items()) {
      if (&each != &json.items().front()) out += ' ';
      append_go(out, each);
    }
    out += ']';
  } else if (json.is_object()) {
    std::vector<const Json::Member*> sorted;
    for (const Json::Member& each : json.members()) sorted.push_back(&each);
    std::sort(sorted.begin(), sorted.end(),
              [](const auto* a, const auto* b) { return a->key < b->key; });
    out += "map[";
    for (const Json::Member* each : sorted) {
      if (each != sorted.front()) out += ' ';
      out += each->key + ':';
      append_go(out, each->value);
    }
    out += ']';
  } else {
    append_text(out, json);
  }
}

}  // namespace

std::string go_text(const Json& json) {
  std::string out;
  append_go(out, json);
  return out;
}

PatchOutcome apply_strategic_patch(Json& object, const Json& patch, const Message& schema) {
  if (!patch.is_object()) {
    return bad_request("error decoding patch: a strategic merge patch must be an object");
  }
  return merge_map(object, patch, &schema);
}

}  // namespace davit
