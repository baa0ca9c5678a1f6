#include "sandbox/kinds/metadata.hpp"

#include <algorithm>
#include <davit/kube/label_match.hpp>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sandbox/kinds/checks.hpp"

namespace davit::sandbox {

namespace {

/// The finalizers that need no domain before them.
constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::string_view kStandardFinalizers[] = {"kubernetes", kOrphan, kForeground};

void check_owner(const Json& owner, const FieldPath& path, FieldErrors& errors) {
  const std::string& api_version = owner.get("apiVersion").text();
  const auto require = [&](std::string_view field, std::string_view detail) {
    if (owner.get(field).text().empty()) {
      errors.push_back(field_invalid(path.text(field), "", detail));
    }
  };
  // A text with two slashes has neither group nor version.
  if (std::ranges::count(api_version, '/') > 1) {
    errors.push_back(
        field_invalid(path.text("apiVersion"), api_version, "version must not be empty"));
  }
  require("apiVersion", "version must not be empty");
  require("kind", "must not be empty");
  require("name", "must not be empty");
  require("uid", "must not be empty");
  // An event cannot be an owner: it expires on its own.
  if (api_version == "v1" && owner.get("kind").text() == "Event") {
    errors.push_back(
        field_invalid(path.text(), owner, "/v1, Kind=Event is disallowed from being an owner"));
  }
}

void check_owners(const Json& owners, const FieldPath& path, FieldErrors& errors) {
  std::string controller;
  for (const Json& each : owners.items()) {
    check_owner(each, path, errors);
    if (!each.get("controller").boolean()) continue;
    const std::string name = each.get("kind").text() + '/' + each.get("name").text();
    if (controller.empty()) {
      controller = name;
      continue;
    }
    errors.push_back(field_invalid(path.text(), owners,
                                   "Only one reference can have Controller set to true. Found "
                                   "\"true\" in references for " +
                                       controller + " and " + name));
  }
}

/// Rules that apimachinery has for all kinds.
void check_finalizer_syntax(const Json& finalizers, const FieldPath& path, FieldErrors& errors) {
  bool orphan = false;
  bool foreground = false;
  for (const Json& each : finalizers.items()) {
    add_invalid(check_qualified_name(each.text()), each.text(), path, errors);
    orphan |= each.text() == kOrphan;
    foreground |= each.text() == kForeground;
  }
  if (orphan && foreground) {
    errors.push_back(field_invalid(path.text(), finalizers,
                                   "finalizer orphan and foregroundDeletion cannot be both set"));
  }
}

void check_no_new_finalizers(const Json& finalizers, const Json& old, const FieldPath& path,
                             FieldErrors& errors) {
  std::set<std::string> added;
  for (const Json& each : finalizers.items()) added.insert(each.text());
  for (const Json& each : old.items()) added.erase(each.text());
  if (added.empty()) return;
  std::string list;
  for (const std::string& each : added) list += (list.empty() ? "" : ", ") + to_text(Json(each));
  errors.push_back(field_forbidden(path.text(),
                                   "no new finalizers can be added if the object is being "
                                   "deleted, found new finalizers []string{" +
                                       list + '}'));
}

/// k8s: the part that creates and updates share.
void check_lists(const Json& metadata, const FieldPath& path, FieldErrors& errors) {
  check_labels(metadata.get("labels"), path.child("labels"), errors);
  check_annotations(metadata.get("annotations"), path.child("annotations"), errors);
  check_owners(metadata.get("ownerReferences"), path.child("ownerReferences"), errors);
}

std::optional<LabelOperator> operator_of(std::string_view text) {
  if (text == "In") return LabelOperator::kIn;
  if (text == "NotIn") return LabelOperator::kNotIn;
  if (text == "Exists") return LabelOperator::kExists;
  if (text == "DoesNotExist") return LabelOperator::kDoesNotExist;
  return std::nullopt;
}

std::vector<std::string> values_of(const Json& requirement) {
  std::vector<std::string> out;
  for (const Json& each : requirement.get("values").items()) out.push_back(each.text());
  return out;
}

bool requirement_matches(const Json& requirement, const Json& labels) {
  const std::optional<LabelOperator> operation = operator_of(requirement.get("operator").text());
  const Json* label = labels.find(requirement.get("key").text());
  return operation &&
         label_matches(
             *operation, values_of(requirement),
             label == nullptr ? std::nullopt : std::optional<std::string_view>(label->text()));
}

std::string requirement_text(const Json& requirement) {
  const std::string& key = requirement.get("key").text();
  const std::string& operation = requirement.get("operator").text();
  if (operation == "Exists") return key;
  if (operation == "DoesNotExist") return '!' + key;
  std::vector<std::string> values = values_of(requirement);
  std::ranges::sort(values);
  std::string listed;
  for (const std::string& each : values) {
    if (&each != &values.front()) listed += ',';
    listed += each;
  }
  return key + (operation == "In" ? " in (" : " notin (") + listed + ')';
}

void check_requirement(const Json& requirement, const FieldPath& path, FieldErrors& errors) {
  const std::string& operation = requirement.get("operator").text();
  const bool has_values = requirement.get("values").size() != 0;
  if (operation == "In" || operation == "NotIn") {
    if (!has_values) {
      errors.push_back(field_required(path.text("values"),
                                      "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operation == "Exists" || operation == "DoesNotExist") {
    if (has_values) {
      errors.push_back(
          field_forbidden(path.text("values"),
                          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else {
    errors.push_back(
        field_invalid(path.text("operator"), operation, "not a valid selector operator"));
  }
  const std::string& key = requirement.get("key").text();
  add_invalid(check_qualified_name(key), key, path.child("key"), errors);
  const FieldPath values = path.child("values");
  std::size_t index = 0;
  for (const Json& each : requirement.get("values").items()) {
    add_invalid(check_label_value(each.text()), each.text(), values.index(index++), errors);
  }
}

}  // namespace

void check_labels(const Json& labels, const FieldPath& path, FieldErrors& errors) {
  for (const Json::Member& each : labels.members()) {
    add_invalid(check_qualified_name(each.key), each.key, path, errors);
    add_invalid(check_label_value(each.value.text()), each.value.text(), path, errors);
  }
}

void check_annotations(const Json& annotations, const FieldPath& path, FieldErrors& errors) {
  std::size_t bytes = 0;
  for (const Json::Member& each : annotations.members()) {
    bytes += each.key.size() + each.value.text().size();
    std::string lower = each.key;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    add_invalid(check_qualified_name(lower), each.key, path, errors);
  }
  if (bytes > kAnnotationsBytesMax) {
    errors.push_back(field_too_long(path.text(), kAnnotationsBytesMax));
  }
}

void check_metadata(const Json& metadata, NameRule names, Scope scope, const FieldPath& path,
                    FieldErrors& errors) {
  const std::string& prefix = metadata.get("generateName").text();
  if (!prefix.empty()) {
    add_invalid(check_generate_name(names, prefix), prefix, path.child("generateName"), errors);
  }
  const std::string& name = metadata.get("name").text();
  if (name.empty()) {
    errors.push_back(field_required(path.text("name"), "name or generateName is required"));
  } else {
    add_invalid(check_name(names, name), name, path.child("name"), errors);
  }
  const std::string& ns = metadata.get("namespace").text();
  if (scope == Scope::kCluster) {
    if (!ns.empty()) {
      errors.push_back(field_forbidden(path.text("namespace"), "not allowed on this type"));
    }
  } else if (ns.empty()) {
    errors.push_back(field_required(path.text("namespace")));
  } else {
    add_invalid(check_dns_label(ns), ns, path.child("namespace"), errors);
  }
  if (const Json& generation = metadata.get("generation"); generation.integer_or(0) < 0) {
    errors.push_back(
        field_invalid(path.text("generation"), generation, "must be greater than or equal to 0"));
  }
  check_lists(metadata, path, errors);
  check_finalizer_syntax(metadata.get("finalizers"), path.child("finalizers"), errors);
}

void check_metadata_update(const Json& metadata, const Json& old, const FieldPath& path,
                           FieldErrors& errors) {
  if (!old.get("deletionTimestamp").empty()) {
    check_no_new_finalizers(metadata.get("finalizers"), old.get("finalizers"),
                            path.child("finalizers"), errors);
  }
  const Json& generation = metadata.get("generation");
  if (generation.integer_or(0) < old.get("generation").integer_or(0)) {
    errors.push_back(field_invalid(path.text("generation"), generation, "must not be decremented"));
  }
  for (const std::string_view field : {"name", "namespace", "uid", "creationTimestamp",
                                       "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    const Json& value = metadata.get(field);
    const Json& before = old.get(field);
    if (value == before || (value.empty() && before.empty() && !value.is_number())) continue;
    errors.push_back(field_invalid(path.text(field), value, kFieldImmutable));
  }
  check_lists(metadata, path, errors);
}

void check_finalizer_names(const Json& finalizers, const FieldPath& path, FieldErrors& errors) {
  std::size_t index = 0;
  for (const Json& each : finalizers.items()) {
    const std::string& name = each.text();
    const bool standard = std::find(std::begin(kStandardFinalizers), std::end(kStandardFinalizers),
                                    name) != std::end(kStandardFinalizers);
    if (name.find('/') == std::string::npos && !standard) {
      errors.push_back(
          field_invalid(path.index(index).text(), name,
                        "name is neither a standard finalizer name nor is it fully qualified"));
    }
    ++index;
  }
}

void check_label_selector(const Json& selector, const FieldPath& path, FieldErrors& errors) {
  check_labels(selector.get("matchLabels"), path.child("matchLabels"), errors);
  const FieldPath expressions = path.child("matchExpressions");
  std::size_t index = 0;
  for (const Json& each : selector.get("matchExpressions").items()) {
    check_requirement(each, expressions.index(index++), errors);
  }
}

std::string selector_query(const Json& selector) {
  std::multimap<std::string, std::string> terms;
  for (const Json::Member& each : selector.get("matchLabels").members()) {
    terms.emplace(each.key, each.key + '=' + each.value.text());
  }
  for (const Json& each : selector.get("matchExpressions").items()) {
    terms.emplace(each.get("key").text(), requirement_text(each));
  }
  std::string out;
  for (const auto& [key, text] : terms) out += (out.empty() ? "" : ",") + text;
  return out;
}

bool selector_matches(const Json& selector, const Json& labels) {
  if (!selector.is_object()) return false;
  for (const Json::Member& each : selector.get("matchLabels").members()) {
    const Json* label = labels.find(each.key);
    if (label == nullptr || label->text() != each.value.text()) return false;
  }
  const Json::Items& requirements = selector.get("matchExpressions").items();
  return std::all_of(requirements.begin(), requirements.end(),
                     [&](const Json& each) { return requirement_matches(each, labels); });
}

}  // namespace davit::sandbox
