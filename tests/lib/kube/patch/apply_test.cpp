#include "lib/kube/patch/apply.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

FieldManager manager(std::string name, std::string api_version = "v1") {
  return {.name = std::move(name),
          .api_version = std::move(api_version),
          .subresource = "",
          .time = "2026-01-01T00:00:00Z"};
}

Json config_map(const char* data) {
  Json out = json_literal(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s"}})");
  if (std::string_view(data) != "") out.set("data", json_literal(data));
  return out;
}

/// An apply as the request path makes it: with the schema, and without nulls.
ApplyOutcome apply(Json& live, const Json& applied, const char* name, Force force = Force::kNo) {
  const std::string& api_version = applied.text_at({"apiVersion"});
  const Message* schema = find_schema(api_version, applied.text_at({"kind"}));
  ApplyOutcome outcome =
      server_side_apply(live, applied, schema, manager(name, api_version), force);
  Json stored = Json::object();
  if (live.is_object()) {
    (void)apply_merge_patch(stored, live);
    live = std::move(stored);
  }
  return outcome;
}

Json fields_of_manager(const Json& object, std::string_view name) {
  const Json* entries = object.at({"metadata", "managedFields"});
  if (entries == nullptr) return {};
  for (const Json& each : entries->items()) {
    if (each.text_at({"manager"}) == name) return each.get("fieldsV1");
  }
  return {};
}

TEST(ApplyTest, FirstApplyCreatesAndOwnsWhatItSays) {
  Json live;
  const ApplyOutcome outcome = apply(live, config_map(R"({"a":"1","b":"2"})"), "m1");

  EXPECT_FALSE(outcome.error);
  EXPECT_TRUE(outcome.conflicts.empty());
  EXPECT_EQ(live.get("data"), json_literal(R"({"a":"1","b":"2"})"));
  EXPECT_EQ(live.get("metadata").get("managedFields"), json_literal(R"([{"manager":"m1",
    "operation":"Apply","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1",
    "fieldsV1":{"f:data":{"f:a":{},"f:b":{}}}}])"));
}

TEST(ApplyTest, FieldThatIsGranularIsMergedThoughItsTypeIsAtomic) {
  Json live;
  ASSERT_FALSE(apply(live, json_literal(R"({"apiVersion":"v1","kind":"PersistentVolume",
    "metadata":{"name":"v"},"spec":{"claimRef":{"name":"c","namespace":"n"}}})"),
                     "m1")
                   .error);
  ASSERT_FALSE(apply(live, json_literal(R"({"apiVersion":"v1","kind":"PersistentVolume",
    "metadata":{"name":"v"},"spec":{"claimRef":{"uid":"u"}}})"),
                     "m2")
                   .error);

  EXPECT_EQ(live.get("spec").get("claimRef"),
            json_literal(R"({"name":"c","namespace":"n","uid":"u"})"));
  EXPECT_EQ(fields_of_manager(live, "m2"),
            json_literal(R"({"f:spec":{"f:claimRef":{"f:uid":{}}}})"));
}

TEST(ApplyTest, RoleRefIsOwnedAsAWhole) {
  Json live;
  ASSERT_FALSE(apply(live, json_literal(R"({"apiVersion":"rbac.authorization.k8s.io/v1",
    "kind":"RoleBinding","metadata":{"name":"b"},"roleRef":{"kind":"Role","name":"r"}})"),
                     "m1")
                   .error);

  EXPECT_EQ(fields_of_manager(live, "m1"), json_literal(R"({"f:roleRef":{}})"));
}

TEST(ApplyTest, SameIntentAgainChangesNothing) {
  Json live;
  ASSERT_FALSE(apply(live, config_map(R"({"a":"1"})"), "m1").error);
  Json again = live;
  ASSERT_FALSE(apply(again, config_map(R"({"a":"1"})"), "m1").error);

  EXPECT_EQ(again, live);
}

TEST(ApplyTest, OtherValueIsAConflictAndChangesNothing) {
  Json live;
  ASSERT_FALSE(apply(live, config_map(R"({"a":"1","b":"2"})"), "m1").error);
  Json refused = live;
  const ApplyOutcome outcome = apply(refused, config_map(R"({"a":"9"})"), "m2");

  ASSERT_EQ(outcome.conflicts.size(), 1u);
  EXPECT_EQ(outcome.conflicts[0].manager, "\"m1\"");
  EXPECT_EQ(outcome.conflicts[0].field, ".data.a");
  EXPECT_EQ(conflict_message(outcome.conflicts),
            "Apply failed with 1 conflict: conflict with \"m1\": .data.a");
  EXPECT_EQ(refused, live);
}

TEST(ApplyTest, ForceTakesTheFieldFromItsOwner) {
  Json live;
  ASSERT_FALSE(apply(live, config_map(R"({"a":"1","b":"2"})"), "m1").error);
  ASSERT_TRUE(apply(live, config_map(R"({"a":"9"})"), "m2", Force::kYes).conflicts.empty());

  EXPECT_EQ(live.get("data"), json_literal(R"({"a":"9","b":"2"})"));
  EXPECT_EQ(fields_of_manager(live, "m1"), json_literal(R"({"f:data":{"f:b":{}}})"));
  EXPECT_EQ(fields_of_manager(live, "m2"), json_literal(R"({"f:data":{"f:a":{}}})"));
}

TEST(ApplyTest, DroppedFieldsGoUnlessOthersOwnThem) {
  Json live;
  ASSERT_FALSE(apply(live, config_map(R"({"a":"1","b":"2"})"), "m1").error);
  ASSERT_TRUE(apply(live, config_map(R"({"a":"1"})"), "m2").conflicts.empty());
  ASSERT_FALSE(apply(live, config_map(""), "m1").error);

  EXPECT_EQ(live.get("data"), json_literal(R"({"a":"1"})"));
  EXPECT_TRUE(fields_of_manager(live, "m1").is_null());

  ASSERT_FALSE(apply(live, config_map(""), "m2").error);
  EXPECT_FALSE(live.contains("data"));
  EXPECT_EQ(live.text_at({"metadata", "name"}), "s");
}

TEST(ApplyTest, FieldsOfUpdatersStayWhenAnApplierDropsThem) {
  Json live;
  ASSERT_FALSE(apply(live, config_map(R"({"a":"1"})"), "m1").error);
  Json changed = live;
  changed["data"].set("a", "2");
  track_update(changed, live, find_schema("v1", "ConfigMap"), manager("edit"));
  ASSERT_FALSE(apply(changed, config_map(""), "m1").error);

  EXPECT_EQ(changed.get("data"), json_literal(R"({"a":"2"})"));
}

TEST(ApplyTest, LabelsGoAndTheRestOfMetadataStays) {
  Json live;
  Json applied = config_map(R"({"a":"1"})");
  applied["metadata"].set("labels", json_literal(R"({"x":"y"})"));
  ASSERT_FALSE(apply(live, applied, "m1").error);
  live["metadata"].set("uid", "u");
  ASSERT_FALSE(apply(live, config_map(R"({"a":"1"})"), "m1").error);

  Json metadata = live.get("metadata");
  metadata.erase("managedFields");
  EXPECT_EQ(metadata, json_literal(R"({"name":"s","uid":"u"})"));
}

constexpr const char* kDeployment = R"({"apiVersion":"apps/v1","kind":"Deployment",
  "metadata":{"name":"d"},"spec":{"replicas":1,"template":{"spec":{"containers":[
    {"name":"c","image":"i","ports":[{"containerPort":80}]}]}}}})";

TEST(ApplyTest, ListElementsMergeByTheirKeys) {
  Json live;
  ASSERT_FALSE(apply(live, json_literal(kDeployment), "m1").error);
  EXPECT_EQ(fields_of_manager(live, "m1"), json_literal(R"({"f:spec":{"f:replicas":{},
    "f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{},
    "f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},
    "f:containerPort":{}}}}}}}}})"));

  const ApplyOutcome outcome = apply(live, json_literal(R"({"apiVersion":"apps/v1",
    "kind":"Deployment","metadata":{"name":"d"},"spec":{"template":{"spec":{"containers":[
    {"name":"side","image":"s"},{"name":"c","env":[{"name":"E","value":"1"}]}]}}}})"),
                                     "m2");

  ASSERT_TRUE(outcome.conflicts.empty());
  EXPECT_EQ(*live.at({"spec", "template", "spec", "containers"}),
            json_literal(R"([{"name":"side","image":"s"},
      {"name":"c","image":"i","ports":[{"containerPort":80}],"env":[{"name":"E","value":"1"}]}])"));

  ASSERT_FALSE(apply(live, json_literal(R"({"apiVersion":"apps/v1","kind":"Deployment",
    "metadata":{"name":"d"}})"),
                     "m1")
                   .error);
  EXPECT_EQ(*live.at({"spec", "template", "spec", "containers"}),
            json_literal(R"([{"name":"side","image":"s"},
      {"name":"c","env":[{"name":"E","value":"1"}]}])"));
  EXPECT_FALSE(live.get("spec").contains("replicas"));
}

TEST(ApplyTest, ConflictsWithUpdatersNameVersionAndSubresource) {
  Json live;
  ASSERT_FALSE(apply(live, json_literal(kDeployment), "m1").error);
  Json scaled = live;
  scaled["spec"].set("replicas", 3);
  FieldManager scaler = manager("sc", "apps/v1");
  scaler.subresource = "scale";
  const Message* schema = find_schema("apps/v1", "Deployment");
  track_update(scaled, live, schema, scaler);
  Json edited = scaled;
  edited["spec"]["template"]["spec"]["containers"].make_array()[0].set("image", "other");
  track_update(edited, scaled, schema, manager("m3", "apps/v1"));

  const ApplyOutcome outcome = apply(edited, json_literal(kDeployment), "m1");

  EXPECT_EQ(conflict_message(outcome.conflicts),
            "Apply failed with 2 conflicts: conflicts with \"m3\" using apps/v1:\n"
            "- .spec.template.spec.containers[name=\"c\"].image\n"
            "conflicts with \"sc\" with subresource \"scale\" using apps/v1:\n- .spec.replicas");
}

TEST(ApplyTest, AtomicPartsAreReplacedAsAWhole) {
  Json live;
  ASSERT_FALSE(apply(live, json_literal(R"({"apiVersion":"v1","kind":"Service",
    "metadata":{"name":"s"},"spec":{"selector":{"a":"b"},"externalIPs":["1.1.1.1"]}})"),
                     "m1")
                   .error);
  EXPECT_EQ(fields_of_manager(live, "m1"),
            json_literal(R"({"f:spec":{"f:externalIPs":{},"f:selector":{}}})"));
  ASSERT_FALSE(apply(live, json_literal(R"({"apiVersion":"v1","kind":"Service",
    "metadata":{"name":"s"},"spec":{"selector":{"c":"d"}}})"),
                     "m1")
                   .error);

  EXPECT_EQ(live.get("spec"), json_literal(R"({"selector":{"c":"d"}})"));
}

TEST(ApplyTest, UntrackedObjectsBelongToWhoCameBefore) {
  Json live = config_map(R"({"a":"1","b":"1"})");

  const ApplyOutcome refused = apply(live, config_map(R"({"a":"2"})"), "m1");
  EXPECT_EQ(conflict_message(refused.conflicts),
            "Apply failed with 1 conflict: conflict with \"before-first-apply\" using v1: .data.a");

  ASSERT_TRUE(apply(live, config_map(R"({"a":"2"})"), "m1", Force::kYes).conflicts.empty());
  EXPECT_EQ(fields_of_manager(live, "before-first-apply"),
            json_literal(R"({"f:data":{".":{},"f:b":{}}})"));
}

TEST(ApplyTest, KubectlTakesOverWhatItAppliedBefore) {
  Json live = config_map(R"({"a":"1","b":"1"})");
  live["metadata"].set("annotations", Json::object());
  live["metadata"]["annotations"].set("kubectl.kubernetes.io/last-applied-configuration",
                                      to_text(config_map(R"({"a":"1","b":"0"})")) + "\n");
  track_update(live, Json(), find_schema("v1", "ConfigMap"), manager("kubectl-client-side-apply"));

  const ApplyOutcome refused = apply(live, config_map(R"({"a":"2","b":"2"})"), "kubectl");
  ASSERT_EQ(refused.conflicts.size(), 1u) << "b was changed since by somebody else";
  EXPECT_EQ(refused.conflicts[0].field, ".data.b");

  ASSERT_TRUE(apply(live, config_map(R"({"a":"2"})"), "kubectl").conflicts.empty());
  EXPECT_EQ(
      live.text_at({"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"}),
      R"({"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"s"}})"
      "\n");
}

struct RefusedCase {
  const char* applied;
  int http_status;
  const char* message;
};

constexpr RefusedCase kRefused[] = {
    {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s1"},"foo":1})", 500,
     "failed to create typed patch object (/s1; /v1, Kind=ConfigMap): .foo: field not declared in "
     "schema"},
    {R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},
        "spec":{"replicas":"x","a":1}})",
     500,
     "failed to create typed patch object (/d; apps/v1, Kind=Deployment): errors:\n"
     "  .spec.replicas: expected numeric (int or float), got string\n"
     "  .spec.a: field not declared in schema"},
    {R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},
        "spec":{"containers":[{"name":"c"},{"name":"c"}]}})",
     500,
     "failed to create typed patch object (/p; /v1, Kind=Pod): .spec.containers: duplicate entries "
     "for key [name=\"c\"]"},
    {R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"a"},
        "secrets":[{"namespace":"n"}]})",
     500,
     "failed to create typed patch object (/a; /v1, Kind=ServiceAccount): .secrets: element 0: "
     "associative list with keys has an element that omits all key fields [\"name\"] (and doesn't "
     "have default values for any key fields)"},
    {R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[null]}})",
     500,
     "failed to create typed patch object (/p; /v1, Kind=Pod): .spec.containers: element 0: "
     "associative list with keys may not have a null element"},
    {R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","finalizers":[null]}})", 500,
     "failed to create typed patch object (/p; /v1, Kind=Pod): .metadata.finalizers: "
     "element 0: associative list without keys has an element that's an explicit "
     "null"},
    {R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","finalizers":[{}]}})", 500,
     "failed to create typed patch object (/p; /v1, Kind=Pod): .metadata.finalizers: "
     "element 0: associative list without keys has an element that's a map type"},
    {R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","finalizers":[[]]}})", 500,
     "failed to create typed patch object (/p; /v1, Kind=Pod): .metadata.finalizers: "
     "element 0: not supported: associative list with lists as elements"},
    {R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","finalizers":[1]}})", 500,
     "failed to create typed patch object (/p; /v1, Kind=Pod): .metadata.finalizers[=1]: expected "
     "string, got &value.valueUnstructured{Value:1}"},
    {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s","managedFields":[]}})", 400,
     "metadata.managedFields must be nil"},
};

TEST(ApplyTest, IntentsThatDoNotFitTheSchemaAreRefused) {
  for (const RefusedCase& each : kRefused) {
    Json live;
    const ApplyOutcome outcome = apply(live, json_literal(each.applied), "m");
    ASSERT_TRUE(outcome.error) << each.applied;
    EXPECT_EQ(outcome.error->reason.http_status, each.http_status);
    EXPECT_EQ(outcome.error->message, each.message);
  }
}

TEST(ApplyTest, KeysOfBuiltInKindsHaveDefaults) {
  Json live;
  const char* applied = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{
      "containers":[{"ports":[{"protocol":"UDP"},{"containerPort":1}]}]}})";

  ASSERT_FALSE(apply(live, json_literal(applied), "m").error);

  const Json& fields = live.get("metadata").get("managedFields").items().at(0).get("fieldsV1");
  const Json& ports =
      fields.get("f:spec").get("f:containers").get(R"(k:{"name":""})").get("f:ports");
  EXPECT_TRUE(ports.contains(R"(k:{"containerPort":0,"protocol":"UDP"})")) << to_text(fields);
  EXPECT_TRUE(ports.contains(R"(k:{"containerPort":1,"protocol":"TCP"})")) << to_text(fields);
}

/// Two versions of a kind: a size of v1 is the width of v2.
FieldManager versioned_manager(const std::string& name, const std::string& version) {
  FieldManager out = manager(name, "ex.io/" + version);
  out.convert = [](const Json& object, const std::string& to) -> Result<VersionedForm> {
    if (to != "ex.io/v1" && to != "ex.io/v2") return Status(Code::kNotFound, "gone");
    Json form = object;
    const char* const given = to == "ex.io/v1" ? "width" : "size";
    if (const Json* value = object.at({"spec", given})) {
      form["spec"].set(to == "ex.io/v1" ? "size" : "width", *value);
      form["spec"].erase(given);
    }
    form.set("apiVersion", to);
    return VersionedForm{std::move(form), nullptr};
  };
  return out;
}

Json versioned_intent(const std::string& version, const std::string& spec) {
  return json_literal(R"({"apiVersion":"ex.io/)" + version +
                      R"(","kind":"X","metadata":{"name":"x"},"spec":)" + spec + '}');
}

TEST(ApplyTest, AFieldConflictsWithItsNameInAnotherVersion) {
  Json live;
  const auto apply_in = [&live](const std::string& name, const std::string& version,
                                const std::string& spec, Force force = Force::kNo) {
    live = live.is_null()
               ? live
               : (*versioned_manager("", version).convert(live, "ex.io/" + version)).object;
    return server_side_apply(live, versioned_intent(version, spec), nullptr,
                             versioned_manager(name, version), force);
  };
  ASSERT_FALSE(apply_in("a", "v1", R"({"size":1,"color":"red"})").error);

  const ApplyOutcome same = apply_in("b", "v2", R"({"width":1})");
  EXPECT_TRUE(same.conflicts.empty());
  const ApplyOutcome refused = apply_in("b", "v2", R"({"width":2})");
  ASSERT_EQ(refused.conflicts.size(), 1U);
  EXPECT_EQ(conflict_message(refused.conflicts),
            "Apply failed with 1 conflict: conflict with \"a\": .spec.size");

  ASSERT_FALSE(apply_in("b", "v2", R"({"width":2})", Force::kYes).error);
  EXPECT_EQ(fields_of_manager(live, "a"), json_literal(R"({"f:spec":{".":{},"f:color":{}}})"));
  EXPECT_EQ(fields_of_manager(live, "b"), json_literal(R"({"f:spec":{".":{},"f:width":{}}})"));
}

TEST(ApplyTest, AnApplierWhoChangesItsVersionLeavesOutWhatItNoLongerSays) {
  Json live;
  ASSERT_FALSE(server_side_apply(live, versioned_intent("v1", R"({"size":1,"color":"red"})"),
                                 nullptr, versioned_manager("a", "v1"), Force::kNo)
                   .error);
  live = (*versioned_manager("", "v2").convert(live, "ex.io/v2")).object;

  ASSERT_FALSE(server_side_apply(live, versioned_intent("v2", R"({"color":"red"})"), nullptr,
                                 versioned_manager("a", "v2"), Force::kNo)
                   .error);

  EXPECT_EQ(live.get("spec"), json_literal(R"({"color":"red"})"));
  EXPECT_EQ(live.get("apiVersion").text(), "ex.io/v2");
  const Json& entries = live.get("metadata").get("managedFields");
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries.items()[0].text_at({"apiVersion"}), "ex.io/v2");
}

TEST(ApplyTest, AFieldThatIsOwnedInAnotherVersionStays) {
  Json live;
  ASSERT_FALSE(server_side_apply(live, versioned_intent("v1", R"({"size":1})"), nullptr,
                                 versioned_manager("a", "v1"), Force::kNo)
                   .error);
  live = (*versioned_manager("", "v2").convert(live, "ex.io/v2")).object;
  ASSERT_FALSE(server_side_apply(live, versioned_intent("v2", R"({"width":1})"), nullptr,
                                 versioned_manager("b", "v2"), Force::kNo)
                   .error);

  ASSERT_FALSE(server_side_apply(live, versioned_intent("v2", "{}"), nullptr,
                                 versioned_manager("b", "v2"), Force::kNo)
                   .error);

  EXPECT_EQ(live.get("spec"), json_literal(R"({"width":1})"));
}

TEST(ApplyTest, AnUpdateTakesAFieldFromItsOwnerInAnotherVersion) {
  Json live;
  ASSERT_FALSE(server_side_apply(live, versioned_intent("v1", R"({"size":1,"color":"red"})"),
                                 nullptr, versioned_manager("a", "v1"), Force::kNo)
                   .error);
  live = (*versioned_manager("", "v2").convert(live, "ex.io/v2")).object;
  Json changed = live;
  changed["spec"].set("width", 2);

  track_update(changed, live, nullptr, versioned_manager("u", "v2"));

  EXPECT_EQ(fields_of_manager(changed, "a"), json_literal(R"({"f:spec":{".":{},"f:color":{}}})"));
  EXPECT_EQ(fields_of_manager(changed, "u"), json_literal(R"({"f:spec":{"f:width":{}}})"));
}

TEST(ApplyTest, TheOwnersOfAVersionThatIsGoneAreForgotten) {
  Json live = versioned_intent("v2", R"({"width":1})");
  live["metadata"].set("managedFields", json_literal(R"([{"manager":"old","operation":"Apply",
    "apiVersion":"ex.io/v0","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:width":{}}}}])"));

  const ApplyOutcome outcome = server_side_apply(live, versioned_intent("v2", R"({"width":2})"),
                                                 nullptr, versioned_manager("a", "v2"), Force::kNo);

  EXPECT_TRUE(outcome.conflicts.empty());
  EXPECT_EQ(fields_of_manager(live, "old"), Json());
}

TEST(ApplyTest, WithoutASchemaMapsAreMergedAndListsReplaced) {
  Json live;
  const FieldManager first = manager("m1", "ex.io/v1");
  ASSERT_FALSE(server_side_apply(live, json_literal(R"({"apiVersion":"ex.io/v1","kind":"X",
    "metadata":{"name":"x","labels":{"l":"1"}},"spec":{"a":{"b":1},"l":[{"name":"q"}]}})"),
                                 nullptr, first, Force::kNo)
                   .error);

  EXPECT_EQ(fields_of_manager(live, "m1"), json_literal(R"({"f:metadata":{"f:labels":{"f:l":{}}},
    "f:spec":{".":{},"f:a":{".":{},"f:b":{}},"f:l":{}}})"));
}

TEST(MergeConfigurationTest, TenProblemsOfAKindAreNamed) {
  const auto problems_of = [](const std::string& element, std::string_view mark) {
    std::string list;
    for (int i = 0; i < 50; ++i) list += (list.empty() ? "" : ",") + element;
    Json pod = Json::object();
    const std::string text = merge_configuration(
        pod, json_literal(R"({"spec":{"containers":[)" + list + "]}}"), find_schema("v1", "Pod"));
    std::size_t count = 0;
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
      ++count;
    }
    return count;
  };

  EXPECT_EQ(problems_of("1", "non-map elements"), 1U) << "upstream looks no further in a list";
  EXPECT_EQ(problems_of(R"({"name":"a","image":null})", "expected string"), 10U);
}

TEST(MergeConfigurationTest, ListsWithKeysAreUnitedAndOthersRefused) {
  const Message* const schema = find_schema("v1", "Pod");
  Json pod = json_literal(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},
      "spec":{"containers":[{"name":"a","image":"x"}]}})");
  const auto merge = [&](const char* applied) {
    return merge_configuration(pod, json_literal(applied), schema);
  };

  EXPECT_EQ(merge(R"({"spec":{"containers":[{"name":"b"},{"name":"a","tty":true}]}})"), "");
  EXPECT_EQ(to_text(pod.get("spec").get("containers")),
            R"([{"name":"b"},{"name":"a","image":"x","tty":true}])");
  const Json before = pod;
  EXPECT_EQ(merge(R"({"spec":{"tolerations":[],"containers":[{"name":"a","args":["x"]}]}})"),
            "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: "
            ".spec.tolerations, .spec.containers[0].args");
  EXPECT_EQ(merge(R"({"spec":{"hostname":["a",{"b":1}],"nodeSelector":null,"nope":1,"other":2}})"),
            "failed to convert patch object to typed object: errors:\n"
            "  .spec.hostname: expected string, got &value.valueUnstructured{Value:"
            "[]interface {}{\"a\", map[string]interface {}{\"b\":1}}}\n"
            "  .spec.nope: field not declared in schema\n"
            "  .spec.nodeSelector: expected map, got &{NULL_VALUE}");
  EXPECT_EQ(pod, before);
}

}  // namespace
}  // namespace davit
