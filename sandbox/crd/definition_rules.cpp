#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include "lib/base/lower_case.hpp"
#include "lib/kube/names.hpp"
#include "sandbox/crd/api_approval.hpp"
#include "sandbox/crd/conversion_checks.hpp"
#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/kinds/checks.hpp"

namespace davit::sandbox {

namespace {

/// A version that was ever the storage version may have objects left in that form.
void note_stored_version(Json& definition) {
  for (const Json& version : definition.get("spec").get("versions").items()) {
    if (!version.get("storage").boolean()) continue;
    Json& stored = definition["status"]["storedVersions"];
    const Json& name = version.get("name");
    const auto& items = stored.items();
    if (std::find(items.begin(), items.end(), name) == items.end()) stored.push_back(name);
    return;
  }
}

/// Formats of texts that are checked. k8s: supportedVersionedFormats.
constexpr std::array<std::string_view, 26> kTextFormats = {
    "bsonobjectid", "uri",        "email",    "hostname",     "ipv4",       "ipv6", "cidr",
    "mac",          "uuid",       "uuid3",    "uuid4",        "uuid5",      "isbn", "isbn10",
    "isbn13",       "creditcard", "ssn",      "hexcolor",     "rgbcolor",   "byte", "password",
    "date",         "duration",   "datetime", "k8sshortname", "k8slongname"};

/// Whether a schema of this type may have the format. A format may have dashes.
bool knows_format(std::string_view type, std::string format) {
  if (type == "integer") return format == "int32" || format == "int64";
  if (type == "number") return format == "float" || format == "double";
  if (!type.empty() && type != "string") return false;
  std::erase(format, '-');
  return std::ranges::find(kTextFormats, format) != kTextFormats.end();
}

/// The schemas that a schema holds. k8s: SchemaHas.
void visit_schemas(const Json& schema, const std::function<void(const Json&)>& visit) {
  if (!schema.is_object()) return;
  visit(schema);
  const Json& items = schema.get("items");
  visit_schemas(items, visit);
  for (const Json& each : items.items()) visit_schemas(each, visit);
  for (const char* list : {"allOf", "oneOf", "anyOf"}) {
    for (const Json& each : schema.get(list).items()) visit_schemas(each, visit);
  }
  for (const char* one : {"not", "additionalProperties", "additionalItems"}) {
    visit_schemas(schema.get(one), visit);
  }
  for (const char* map : {"properties", "patternProperties", "definitions"}) {
    for (const Json::Member& each : schema.get(map).members()) visit_schemas(each.value, visit);
  }
}
constexpr std::int64_t kHttpsPort = 443;

class DefinitionRules : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    Json* names = object.at({"spec", "names"});
    if (names == nullptr || !names->is_object()) return;
    const std::string kind = names->text_at({"kind"});
    if (names->text_at({"singular"}).empty()) names->set("singular", lower_case(kind));
    if (names->text_at({"listKind"}).empty() && !kind.empty()) {
      names->set("listKind", kind + "List");
    }
    Json& conversion = object["spec"]["conversion"];
    if (!conversion.is_object()) conversion = Json::object({{"strategy", "None"}});
    // The older form of the API has no member that says only this.
    const Json& webhook = conversion.get("webhook");
    const bool says_nothing =
        !webhook.get("clientConfig").is_object() && webhook.get("conversionReviewVersions").empty();
    if (says_nothing) conversion.erase("webhook");
    Json* service = conversion.at({"webhook", "clientConfig", "service"});
    if (service != nullptr && service->is_object()) set_default(*service, "port", kHttpsPort);
  }

  void prepare_create(Json& object) const override {
    object.set("status",
               Json::object({{"conditions", Json()},
                             {"acceptedNames", Json::object({{"plural", ""}, {"kind", ""}})}}));
    note_stored_version(object);
  }

  void prepare_update(Json& object, const Json& old, UpdateTarget target) const override {
    PlainRules::prepare_update(object, old, target);
    note_stored_version(object);
  }

  [[nodiscard]] std::vector<std::string> warnings(const Json& object) const override {
    std::vector<std::string> out;
    for (const Json& version : object.get("spec").get("versions").items()) {
      visit_schemas(version.get("schema").get("openAPIV3Schema"), [&](const Json& schema) {
        const std::string& format = schema.get("format").text();
        if (format.empty() || knows_format(schema.get("type").text(), format)) return;
        std::string warning = "unrecognized format " + to_text(Json(format));
        if (std::ranges::find(out, warning) == out.end()) out.push_back(std::move(warning));
      });
    }
    return out;
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    add(validate_definition(object), errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    add(validate_definition_update(object, old), errors);
  }

 private:
  static void add(FieldErrors found, FieldErrors& errors) {
    errors.insert(errors.end(), std::make_move_iterator(found.begin()),
                  std::make_move_iterator(found.end()));
  }
};

/// The names that other definitions of the group hold.
struct TakenNames {
  std::set<std::string> resources;
  std::set<std::string> kinds;
};

TakenNames taken_names(const Json& definition, std::span<const Json> others) {
  TakenNames out;
  for (const Json& each : others) {
    const bool same =
        each.text_at({"metadata", "name"}) == definition.text_at({"metadata", "name"});
    const bool group = each.text_at({"spec", "group"}) == definition.text_at({"spec", "group"});
    if (same || !group) continue;
    const Json& names = each.get("status").get("acceptedNames");
    for (const char* member : {"plural", "singular"}) out.resources.insert(names.text_at({member}));
    for (const Json& name : names.get("shortNames").items()) out.resources.insert(name.text());
    for (const char* member : {"kind", "listKind"}) out.kinds.insert(names.text_at({member}));
  }
  return out;
}

struct Condition {
  const char* type;
  const char* status;
  const char* reason;
  std::string message;
};

void set_condition(Json& definition, Condition wanted, std::string_view now) {
  Json& conditions = definition["status"]["conditions"];
  Json fresh = Json::object({{"lastTransitionTime", Json(now)},
                             {"message", Json(wanted.message)},
                             {"reason", wanted.reason},
                             {"status", wanted.status},
                             {"type", wanted.type}});
  for (Json& each : conditions.make_array()) {
    if (each.text_at({"type"}) != wanted.type) continue;
    if (each.text_at({"status"}) == wanted.status) {
      fresh.set("lastTransitionTime", each.get("lastTransitionTime"));
    }
    each = std::move(fresh);
    return;
  }
  conditions.push_back(std::move(fresh));
}

/// Accepts each name that is free; a name that is not keeps its accepted form. Returns the
/// condition NamesAccepted, which names the last conflict.
Condition accept_names(Json& definition, const TakenNames& taken) {
  Condition out{"NamesAccepted", "True", "NoConflicts", "no conflicts found"};
  const Json wanted = definition.get("spec").get("names");
  Json accepted = definition.get("status").get("acceptedNames");
  const auto conflict = [&](const char* reason, const std::string& name) {
    out.status = "False";
    out.reason = reason;
    out.message = to_text(Json(name)) + " is already in use";
  };
  const auto take = [&](const char* member, const std::set<std::string>& used, const char* reason) {
    const std::string& name = wanted.text_at({member});
    if (!name.empty() && used.contains(name) && accepted.text_at({member}) != name) {
      conflict(reason, name);
    } else if (!name.empty()) {
      accepted.set(member, name);
    }
  };
  take("plural", taken.resources, "PluralConflict");
  take("singular", taken.resources, "SingularConflict");
  bool short_names_free = true;
  for (const Json& each : wanted.get("shortNames").items()) {
    if (!taken.resources.contains(each.text())) continue;
    conflict("ShortNamesConflict", each.text());
    short_names_free = false;
  }
  if (short_names_free && wanted.contains("shortNames")) {
    accepted.set("shortNames", wanted.get("shortNames"));
  }
  take("kind", taken.kinds, "KindConflict");
  take("listKind", taken.kinds, "ListKindConflict");
  if (wanted.contains("categories")) accepted.set("categories", wanted.get("categories"));
  definition["status"].set("acceptedNames", std::move(accepted));
  return out;
}

/// The condition of a definition whose group needs an approval.
void note_approval(Json& definition, std::string_view now) {
  using State = ApiApproval::State;
  std::optional<ApiApproval> approval = api_approval(definition);
  if (!approval) return;
  const char* reason = "InvalidAnnotation";
  if (approval->state == State::kMissing) reason = "MissingAnnotation";
  if (approval->state == State::kBypassed) reason = "UnapprovedAnnotation";
  if (approval->state == State::kApproved) reason = "ApprovedAnnotation";
  set_condition(definition,
                {"KubernetesAPIApprovalPolicyConformant",
                 approval->state == State::kApproved ? "True" : "False", reason,
                 std::move(approval->message)},
                now);
}

}  // namespace

std::shared_ptr<const KindRules> definition_rules(const KindFacts& facts) {
  return std::make_shared<DefinitionRules>(facts);
}

void update_definition_status(Json& definition, std::span<const Json> others,
                              std::string_view now) {
  note_stored_version(definition);
  Condition accepted = accept_names(definition, taken_names(definition, others));
  const bool free = std::string_view(accepted.status) == "True";
  set_condition(definition, std::move(accepted), now);
  note_approval(definition, now);
  // Once established, a definition stays so, whatever its later names are.
  if (is_established(definition)) return;
  if (free && has_unusable_bundle(definition)) {
    // k8s: EstablishingController.sync.
    set_condition(
        definition,
        {"Established", "False", "InvalidCABundle", "The conversion webhook CABundle is invalid"},
        now);
  } else if (free) {
    set_condition(
        definition,
        {"Established", "True", "InitialNamesAccepted", "the initial names have been accepted"},
        now);
  } else {
    set_condition(definition, {"Established", "False", "NotAccepted", "not all names are accepted"},
                  now);
  }
}

bool is_established(const Json& definition) {
  const auto& conditions = definition.get("status").get("conditions").items();
  return std::any_of(conditions.begin(), conditions.end(), [](const Json& each) {
    return each.text_at({"type"}) == "Established" && each.text_at({"status"}) == "True";
  });
}

}  // namespace davit::sandbox
