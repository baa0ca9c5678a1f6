#include <gtest/gtest.h>

#include "lib/kube/patch/apply.hpp"
#include "sandbox/crd/custom_resource.hpp"

namespace davit::sandbox {
namespace {

constexpr const char* kDefinition = R"({"metadata":{"name":"widgets.ex.io"},"spec":{"group":"ex.io",
  "scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget",
  "listKind":"WidgetList","shortNames":["wd"],"categories":["all"]},"versions":[
  {"name":"v1","served":true,"storage":true,
   "subresources":{"status":{},"scale":{"specReplicasPath":".spec.size",
     "statusReplicasPath":".status.replicas","labelSelectorPath":".status.selector"}},
   "selectableFields":[{"jsonPath":".spec.color"}],
   "additionalPrinterColumns":[
     {"name":"Size","type":"integer","jsonPath":".spec.size"},
     {"name":"Color","type":"string","jsonPath":".spec.color","priority":1},
     {"name":"Ready","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].status"},
     {"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}],
   "schema":{"openAPIV3Schema":{"type":"object","properties":{
     "spec":{"type":"object","required":["size"],"properties":{
       "size":{"type":"integer","minimum":1},"color":{"type":"string","default":"red"},
       "ports":{"type":"array","x-kubernetes-list-type":"map",
         "x-kubernetes-list-map-keys":["port","protocol"],
         "items":{"type":"object","required":["port"],"properties":{"port":{"type":"integer"},
           "protocol":{"type":"string","default":"SCTP"},"name":{"type":"string"}}}},
       "tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
       "plain":{"type":"array","items":{"type":"string"}},
       "box":{"type":"object","x-kubernetes-map-type":"atomic",
         "additionalProperties":{"type":"string"}},
       "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}},
     "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}},
  {"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object",
    "x-kubernetes-preserve-unknown-fields":true}}},
  {"name":"v3","served":false,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})";

std::vector<ResourcePtr> widgets() { return resources_of(json_literal(kDefinition)).value(); }

Json widget(const char* spec) {
  Json out = json_literal(
      R"({"apiVersion":"ex.io/v1","kind":"Widget","metadata":{"name":"w","namespace":"default",
          "creationTimestamp":"2026-01-01T00:00:00Z"}})");
  out.set("spec", json_literal(spec));
  return out;
}

TEST(CustomRulesTest, EachServedVersionIsAResource) {
  const std::vector<ResourcePtr> all = widgets();

  ASSERT_EQ(all.size(), 2u);
  const Resource& first = *all[0];
  EXPECT_EQ(first.api_version(), "ex.io/v1");
  EXPECT_EQ(first.qualified_name(), "widgets.ex.io");
  EXPECT_EQ(first.short_names, std::vector<std::string>{"wd"});
  EXPECT_TRUE(first.custom && first.namespaced && first.has_status && first.has_generation);
  EXPECT_FALSE(first.unconditional_update);
  EXPECT_NE(first.subresource("status"), nullptr);
  EXPECT_EQ(first.subresource("scale")->kind, "Scale");
  EXPECT_EQ(all[1]->collection, first.collection);
  EXPECT_FALSE(all[1]->has_status);
  EXPECT_EQ(all[1]->stored_version, "v1");
}

TEST(CustomRulesTest, CreateDefaultsPrunesAndDropsStatus) {
  const ResourcePtr resource = widgets()[0];
  Json object = widget(R"({"size":3,"zzz":1})");
  object.set("status", json_literal(R"({"replicas":5})"));
  object["metadata"].set("bogus", 1);
  FieldFindings findings;

  ASSERT_TRUE(conform_custom(*resource, object, findings).ok());
  resource->rules->set_defaults(object);
  resource->rules->prepare_create(object);

  EXPECT_EQ(object.get("spec"), json_literal(R"({"size":3,"color":"red"})"));
  EXPECT_FALSE(object.contains("status"));
  EXPECT_EQ(findings.unknown, (std::vector<std::string>{"metadata.bogus", "spec.zzz"}));
  EXPECT_TRUE(resource->rules->validate_create(object).empty());
}

TEST(CustomRulesTest, ValidationReportsFieldsOfTheSchema) {
  const ResourcePtr resource = widgets()[0];

  const FieldErrors errors = resource->rules->validate_create(widget(R"({"size":0})"));

  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].field, "spec.size");
  EXPECT_EQ(errors[0].message,
            "Invalid value: 0: spec.size in body should be greater than or equal to 1");
}

TEST(CustomRulesTest, StatusUpdatesChangeNothingElse) {
  const ResourcePtr resource = widgets()[0];
  Json old = widget(R"({"size":3})");
  Json object = widget(R"({"size":9})");
  object["metadata"].set("labels", json_literal(R"({"a":"b"})"));
  object.set("status", json_literal(R"({"replicas":2})"));

  Json by_status = object;
  resource->rules->prepare_update(by_status, old, UpdateTarget::kStatus);
  EXPECT_EQ(by_status.get("spec"), old.get("spec"));
  EXPECT_EQ(by_status.get("metadata"), old.get("metadata"));
  EXPECT_EQ(by_status.get("status"), object.get("status"));
  EXPECT_FALSE(resource->rules->raises_generation(by_status, old));

  Json by_object = object;
  resource->rules->prepare_update(by_object, old, UpdateTarget::kObject);
  EXPECT_FALSE(by_object.contains("status"));
  EXPECT_TRUE(resource->rules->raises_generation(by_object, old));
}

TEST(CustomRulesTest, ColumnsComeFromTheDefinition) {
  const ResourcePtr resource = widgets()[0];
  Json object = widget(R"({"size":3,"color":"red"})");
  object.set("status", json_literal(R"({"conditions":[{"type":"Ready","status":"True"}]})"));
  const WallTime now{std::chrono::seconds(1'767'225'600 + 90)};

  std::vector<std::string> names;
  for (const Column& each : resource->rules->columns()) names.push_back(each.name);

  EXPECT_EQ(names, (std::vector<std::string>{"Name", "Size", "Color", "Ready", "Age"}));
  EXPECT_EQ(Json(resource->rules->cells(object, now)),
            json_literal(R"(["w",3,"red","True","90s"])"));
  EXPECT_EQ(Json(widgets()[1]->rules->cells(object, now)), json_literal(R"(["w","90s"])"));
}

TEST(CustomRulesTest, SelectableFieldsAreThoseOfTheVersion) {
  const ResourcePtr resource = widgets()[0];

  EXPECT_TRUE(resource->rules->knows_field("spec.color"));
  EXPECT_FALSE(resource->rules->knows_field("spec.size"));
  EXPECT_EQ(resource->rules->fields(widget(R"({"color":"blue"})")),
            (Pairs{{"spec.color", "blue"}}));
}

TEST(CustomRulesTest, ScaleKnowsItsPaths) {
  const std::vector<ResourcePtr> all = widgets();

  const ScalePaths* paths = scale_paths(*all[0]);

  ASSERT_NE(paths, nullptr);
  EXPECT_EQ(paths->spec_replicas, (std::vector<std::string>{"spec", "size"}));
  EXPECT_EQ(paths->status_replicas, (std::vector<std::string>{"status", "replicas"}));
  EXPECT_EQ(paths->label_selector, (std::vector<std::string>{"status", "selector"}));
  EXPECT_EQ(scale_paths(*all[1]), nullptr);
}

TEST(CustomRulesTest, ApplyFollowsTheListTypesOfTheSchema) {
  const ResourcePtr resource = widgets()[0];
  Json live;
  const Json applied = widget(R"({"size":3,"ports":[{"port":1,"name":"a"}],"tags":["x"],
    "plain":["p"],"box":{"k":"v"},"free":{"any":{"y":1}}})");

  const ApplyOutcome outcome = server_side_apply(
      live, applied, resource->schema,
      {.name = "m", .api_version = "ex.io/v1", .subresource = "", .time = "2026-01-01T00:00:00Z"},
      Force::kNo);

  ASSERT_FALSE(outcome.error) << outcome.error->message;
  EXPECT_EQ(live.get("metadata").get("managedFields").items()[0].get("fieldsV1"), json_literal(R"({
    "f:spec":{"f:size":{},"f:box":{},"f:plain":{},"f:free":{"f:any":{".":{},"f:y":{}}},
      "f:tags":{"v:\"x\"":{}},
      "f:ports":{"k:{\"port\":1,\"protocol\":\"SCTP\"}":{".":{},"f:name":{},"f:port":{}}}}})"))
      << to_text(live);
}

std::string fields_of(const FieldErrors& errors) {
  std::string out;
  for (const FieldError& each : errors) out += each.field + ": " + each.message + '\n';
  return out;
}

TEST(CustomRulesTest, ValuesThatScaleShowsAreNumbersOfReplicas) {
  const ResourcePtr resource = widgets()[0];
  EXPECT_EQ(fields_of(resource->rules->validate_create(widget(R"({"size":"three"})"))),
            "spec.size: Invalid value: \"string\": spec.size in body must be of type integer: "
            "\"string\"\n"
            ".spec.size: Invalid value: 0: .spec.size accessor error: three is of the type string, "
            "expected int64\n");
  EXPECT_EQ(fields_of(resource->rules->validate_create(widget(R"({"size":2147483648})"))),
            ".spec.size: Invalid value: 2147483648: should be less than or equal to 2147483647\n");

  Json next = widget(R"({"size":3})");
  next.set("status", json_literal(R"({"replicas":-1,"selector":{}})"));
  EXPECT_EQ(fields_of(resource->rules->validate_update(next, widget(R"({"size":"three"})"),
                                                       UpdateTarget::kStatus)),
            ".status.replicas: Invalid value: -1: should be a non-negative integer\n"
            ".status.selector: Invalid value: \"\": .status.selector accessor error: {} is of the "
            "type map[string]interface {}, expected string\n");
}

std::string update_faults(const char* old, const char* next) {
  const ResourcePtr resource = widgets()[0];
  std::string out;
  for (const FieldError& each :
       resource->rules->validate_update(widget(next), widget(old), UpdateTarget::kObject)) {
    out += each.field + '\n';
  }
  return out;
}

TEST(CustomRulesTest, AValueThatAnUpdateLeavesAsItWasIsNotJudgedAgain) {
  EXPECT_EQ(update_faults(R"({"size":0})", R"({"size":0,"color":"blue"})"), "");
  EXPECT_EQ(update_faults(R"({"size":0})", R"({"size":-1})"), "spec.size\n.spec.size\n");
  EXPECT_EQ(update_faults(R"({"color":"a"})", R"({"color":"b"})"), "spec.size\n")
      << "the object that lacks it has changed";
  EXPECT_EQ(update_faults(R"({"size":1,"plain":[1]})", R"({"size":1,"plain":[1,"a"]})"),
            "spec.plain[0]\n")
      << "elements of an atomic list have no counterparts";
}

TEST(CustomRulesTest, ElementsOfAMapAreComparedByTheirKeys) {
  const char* const kOld = R"({"size":1,"ports":[{"port":1,"protocol":"a","name":1},
                                                 {"port":2,"protocol":"b"}]})";

  EXPECT_EQ(update_faults(kOld, R"({"size":1,"ports":[{"port":2,"protocol":"b","name":"x"},
                                                      {"port":1,"protocol":"a","name":1}]})"),
            "");
  EXPECT_EQ(update_faults(kOld, R"({"size":1,"ports":[{"port":1,"protocol":"a","name":2}]})"),
            "spec.ports[0].name\n");
}

TEST(CustomRulesTest, EqualElementsMayStayButNotCome) {
  EXPECT_EQ(update_faults(R"({"size":1,"tags":["a","a"]})", R"({"size":1,"tags":["b","b"]})"), "");
  EXPECT_EQ(update_faults(R"({"size":1,"tags":["a"]})", R"({"size":1,"tags":["b","a","b","b"]})"),
            "spec.tags[2]\n");
}

TEST(CustomRulesTest, AnUpdateOfTheStatusJudgesTheStatusAlone) {
  const ResourcePtr resource = widgets()[0];
  Json old = widget(R"({"size":0})");
  Json next = old;
  next.set("status", "text");

  const FieldErrors errors = resource->rules->validate_update(next, old, UpdateTarget::kStatus);

  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].field, "status");
}

TEST(CustomRulesTest, FinalizersThatOthersMayUseAreWarnedOfWhenTheyCome) {
  Json object = widget("{}");
  object["metadata"].set("finalizers", json_literal(R"(["b","a.io","a.io/x","orphan"])"));
  const std::string end = " to avoid accidental conflicts with other finalizer writers";
  EXPECT_EQ(finalizer_warnings(object, Json()),
            (std::vector<std::string>{"metadata.finalizers: \"a.io\": prefer a domain-qualified "
                                      "finalizer name including a path (/)" +
                                          end,
                                      "metadata.finalizers: \"b\": prefer a domain-qualified "
                                      "finalizer name" +
                                          end}));
  EXPECT_TRUE(finalizer_warnings(object, object).empty());
}

TEST(CustomRulesTest, ApplyRefusesWhatTheSchemaDoesNotDeclare) {
  const ResourcePtr resource = widgets()[0];
  Json live;

  const ApplyOutcome outcome = server_side_apply(
      live, widget(R"({"size":3,"zzz":1})"), resource->schema,
      {.name = "m", .api_version = "ex.io/v1", .subresource = "", .time = ""}, Force::kNo);

  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->message,
            "failed to create typed patch object (default/w; ex.io/v1, Kind=Widget): .spec.zzz: "
            "field not declared in schema");
}

}  // namespace
}  // namespace davit::sandbox
