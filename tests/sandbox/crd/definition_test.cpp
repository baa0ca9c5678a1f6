#include <gtest/gtest.h>

#include "sandbox/crd/custom_resource.hpp"

namespace davit::sandbox {
namespace {

constexpr KindFacts kFacts{.group = "apiextensions.k8s.io",
                           .plural = "customresourcedefinitions",
                           .kind = "CustomResourceDefinition",
                           .names = NameRule::kSubdomain,
                           .namespaced = false,
                           .has_status = true,
                           .has_generation = true};

Json definition() {
  return json_literal(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"widgets.ex.io"},"spec":{"group":"ex.io","scope":"Namespaced",
    "names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,
    "storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
}

Json defaulted() {
  Json out = definition();
  definition_rules(kFacts)->set_defaults(out);
  definition_rules(kFacts)->prepare_create(out);
  return out;
}

std::vector<std::string> texts(const FieldErrors& errors) {
  std::vector<std::string> out;
  for (const FieldError& each : errors) out.push_back(each.field + ": " + each.message);
  return out;
}

TEST(DefinitionTest, NamesAndConversionHaveDefaults) {
  const Json object = defaulted();

  EXPECT_EQ(object.text_at({"spec", "names", "singular"}), "widget");
  EXPECT_EQ(object.text_at({"spec", "names", "listKind"}), "WidgetList");
  EXPECT_EQ(object.text_at({"spec", "conversion", "strategy"}), "None");
  EXPECT_EQ(object.get("status").get("storedVersions"), json_literal(R"(["v1"])"));
  EXPECT_EQ(texts(definition_rules(kFacts)->validate_create(object)), std::vector<std::string>());
}

struct Case {
  const char* change;  ///< A merge patch on a valid definition.
  const char* error;
};

constexpr Case kCases[] = {
    {R"({"metadata":{"name":"foo"}})",
     R"(metadata.name: Invalid value: "foo": must be spec.names.plural+"."+spec.group)"},
    {R"({"spec":{"scope":"World"}})",
     R"(spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced")"},
    {R"({"spec":{"scope":""}})", "spec.scope: Required value"},
    {R"({"spec":{"names":{"listKind":"Widget"}}})",
     R"(spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same)"},
};

void merge(Json& object, const Json& change) {
  for (const auto& [key, value] : change.members()) {
    if (value.is_object()) {
      merge(object[key], value);
    } else {
      object.set(key, value);
    }
  }
}

TEST(DefinitionTest, MistakesAreNamed) {
  for (const Case& each : kCases) {
    Json object = defaulted();
    merge(object, json_literal(each.change));
    EXPECT_EQ(texts(validate_definition(object)), std::vector<std::string>{each.error})
        << each.change;
  }
}

TEST(DefinitionTest, ExactlyOneVersionIsStored) {
  Json object = defaulted();
  Json second = object["spec"]["versions"].items()[0];
  second.set("name", "v2");
  object["spec"]["versions"].push_back(second);

  const std::vector<std::string> found = texts(validate_definition(object));

  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].ends_with("must have exactly one version marked as storage version"));
  EXPECT_EQ(found[1],
            "status.storedVersions: Invalid value: [\"v1\"]: must have the storage version v2");
}

TEST(DefinitionTest, FaultsInTheOnlySchemaAreReportedAsOnesOfAll) {
  Json object = defaulted();
  Json& version = object["spec"]["versions"].make_array()[0];
  version["schema"].set("openAPIV3Schema",
                        json_literal(R"({"type":"object","properties":{"a":{}}})"));
  EXPECT_EQ(texts(validate_definition(object)),
            std::vector<std::string>{"spec.validation.openAPIV3Schema.properties[a].type: Required "
                                     "value: must not be empty for specified object fields"});

  version.erase("schema");
  EXPECT_EQ(texts(validate_definition(object)),
            std::vector<std::string>{
                "spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required"});
}

TEST(DefinitionTest, DefaultsMustFitTheirSchema) {
  Json object = defaulted();
  object["spec"]["versions"].make_array()[0]["schema"].set(
      "openAPIV3Schema",
      json_literal(R"({"type":"object","properties":{"a":{"type":"integer","default":"x"}}})"));

  const std::vector<std::string> found = texts(validate_definition(object));

  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].starts_with("spec.validation.openAPIV3Schema.properties[a].default: "));
}

TEST(DefinitionTest, FreeNamesAreAcceptedAndTheDefinitionIsEstablished) {
  Json object = defaulted();

  update_definition_status(object, {}, "2026-01-01T00:00:00Z");

  EXPECT_TRUE(is_established(object));
  EXPECT_EQ(object.get("status").get("conditions"), json_literal(R"([
    {"type":"NamesAccepted","status":"True","reason":"NoConflicts","message":"no conflicts found",
     "lastTransitionTime":"2026-01-01T00:00:00Z"},
    {"type":"Established","status":"True","reason":"InitialNamesAccepted",
     "message":"the initial names have been accepted",
     "lastTransitionTime":"2026-01-01T00:00:00Z"}])"));
  EXPECT_EQ(object.get("status").get("acceptedNames"), json_literal(R"({"plural":"widgets",
    "singular":"widget","kind":"Widget","listKind":"WidgetList"})"));

  Json again = object;
  update_definition_status(again, {}, "2026-01-02T00:00:00Z");
  EXPECT_EQ(again, object);
}

TEST(DefinitionTest, GroupsOfKubernetesNeedAnApproval) {
  struct ApprovalCase {
    const char* annotation;
    const char* error;  ///< Empty: it is accepted.
    const char* condition;
  };
  const std::string need =
      "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must "
      "have approval annotation \"api-approved.kubernetes.io\", see "
      "https://github.com/kubernetes/enhancements/pull/1111";
  const std::string wrong =
      "metadata.annotations[api-approved.kubernetes.io]: Invalid value: \"yes\": protected groups "
      "must have approval annotation \"api-approved.kubernetes.io\" with either a URL or a reason "
      "starting with \"unapproved\", see https://github.com/kubernetes/enhancements/pull/1111";
  const ApprovalCase cases[] = {
      {"", need.c_str(), "False MissingAnnotation"},
      {"yes", wrong.c_str(), "False InvalidAnnotation"},
      {"unapproved, a try", "", "False UnapprovedAnnotation"},
      {"https://ex.io/1", "", "True ApprovedAnnotation"},
  };
  for (const ApprovalCase& each : cases) {
    Json object = defaulted();
    object["metadata"].set("name", "widgets.ex.k8s.io");
    object["spec"].set("group", "ex.k8s.io");
    if (*each.annotation != 0) {
      object["metadata"]["annotations"].set("api-approved.kubernetes.io", each.annotation);
    }
    std::vector<std::string> errors;
    if (*each.error != 0) errors.emplace_back(each.error);
    EXPECT_EQ(texts(validate_definition(object)), errors) << each.annotation;
    EXPECT_TRUE(validate_definition_update(object, object).empty()) << each.annotation;

    update_definition_status(object, {}, "2026-01-01T00:00:00Z");

    const Json& condition = object.get("status").get("conditions").items()[1];
    EXPECT_EQ(condition.text_at({"type"}), "KubernetesAPIApprovalPolicyConformant");
    EXPECT_EQ(condition.text_at({"status"}) + ' ' + condition.text_at({"reason"}), each.condition);
  }
}

TEST(DefinitionTest, TakenNamesKeepADefinitionFromBeingServed) {
  Json first = defaulted();
  update_definition_status(first, {}, "2026-01-01T00:00:00Z");
  Json second = defaulted();
  second["metadata"].set("name", "gadgets.ex.io");
  second["spec"]["names"].set("plural", "gadgets");
  const std::vector<Json> others = {first, second};

  update_definition_status(second, others, "2026-01-01T00:00:00Z");

  EXPECT_FALSE(is_established(second));
  const Json& condition = second.get("status").get("conditions").items()[0];
  EXPECT_EQ(condition.text_at({"reason"}), "ListKindConflict");
  EXPECT_EQ(condition.text_at({"message"}), "\"WidgetList\" is already in use");
  EXPECT_EQ(second.get("status").get("acceptedNames"),
            json_literal(R"({"plural":"gadgets","kind":""})"));
}

TEST(DefinitionTest, EstablishedDefinitionsKeepScopeAndNames) {
  Json old = defaulted();
  update_definition_status(old, {}, "2026-01-01T00:00:00Z");
  Json object = old;
  object["spec"].set("scope", "Cluster");
  object["spec"]["names"].set("kind", "Gadget");

  EXPECT_EQ(texts(validate_definition_update(object, old)),
            (std::vector<std::string>{
                R"(spec.scope: Invalid value: "Cluster": field is immutable)",
                R"(spec.names.kind: Invalid value: "Gadget": field is immutable)"}));
}

TEST(DefinitionTest, RulesAreCheckedWhenTheSpecChanges) {
  Json object = defaulted();
  Json& schema = object["spec"]["versions"].make_array()[0]["schema"]["openAPIV3Schema"];
  schema.set("x-kubernetes-validations", json_literal(R"([{"rule":"self.nope"}])"));

  const FieldErrors errors = validate_definition(object);

  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].field, "spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule");
  EXPECT_FALSE(validate_definition_update(object, defaulted()).empty());
  EXPECT_TRUE(validate_definition_update(object, object).empty()) << "it can still be deleted";
}

}  // namespace
}  // namespace davit::sandbox
