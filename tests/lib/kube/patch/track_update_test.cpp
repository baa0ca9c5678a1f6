#include <gtest/gtest.h>

#include "lib/kube/patch/apply.hpp"

namespace davit {
namespace {

FieldManager writer(const char* name, const char* time = "2026-01-01T00:00:00Z") {
  return {.name = name, .api_version = "v1", .subresource = "", .time = time};
}

Json config_map(const char* data) {
  Json out = json_literal(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})");
  out.set("data", json_literal(data));
  return out;
}

/// `fieldsV1` of the entry of `manager`; null when there is none.
Json fields_of_manager(const Json& object, std::string_view manager) {
  const Json* entries = object.at({"metadata", "managedFields"});
  if (entries == nullptr) return {};
  for (const Json& each : entries->items()) {
    if (each.text_at({"manager"}) == manager) return each.get("fieldsV1");
  }
  return {};
}

void write(Json& object, const Json& old, const FieldManager& manager) {
  const Message* schema = find_schema("v1", object.text_at({"kind"}));
  ASSERT_NE(schema, nullptr);
  track_update(object, old, schema, manager);
}

constexpr const char* kPod = R"({"apiVersion":"v1","kind":"Pod",
  "metadata":{"name":"p","namespace":"default","uid":"u","creationTimestamp":"2026-01-01T00:00:00Z",
    "labels":{"app":"x"}},
  "spec":{"containers":[{"name":"c","image":"nginx","ports":[{"containerPort":80,"protocol":"TCP"}],
      "resources":{}}],
    "volumes":[{"name":"v","emptyDir":{}}],"restartPolicy":"Always",
    "tolerations":[{"key":"k"}]},
  "status":{}})";

TEST(TrackUpdateTest, CreateOwnsEveryLeafAsTheServerRecordsIt) {
  Json pod = json_literal(kPod);

  write(pod, Json(), writer("kubectl-create"));

  // Structs that are always written are not owned themselves, maps and lists of elements are.
  EXPECT_EQ(fields_of_manager(pod, "kubectl-create"), json_literal(R"({
    "f:metadata":{"f:labels":{".":{},"f:app":{}}},
    "f:spec":{
      "f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{},
        "f:ports":{".":{},"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},
          "f:containerPort":{},"f:protocol":{}}},
        "f:resources":{}}},
      "f:restartPolicy":{},"f:tolerations":{},
      "f:volumes":{".":{},"k:{\"name\":\"v\"}":{".":{},"f:emptyDir":{},"f:name":{}}}}})"))
      << to_text(fields_of_manager(pod, "kubectl-create"));
}

TEST(TrackUpdateTest, EntryNamesTheWriteAndTheWriter) {
  Json object = config_map(R"({"k":"v"})");
  FieldManager manager = writer("m");
  manager.subresource = "status";

  write(object, Json(), manager);

  EXPECT_EQ(object.get("metadata").get("managedFields"), json_literal(R"([{"manager":"m",
    "operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1",
    "fieldsV1":{"f:data":{".":{},"f:k":{}}},"subresource":"status"}])"));
}

TEST(TrackUpdateTest, ChangedAndVanishedFieldsLeaveTheOtherManagers) {
  Json old = config_map(R"({"a":"1","b":"1","c":"1"})");
  write(old, Json(), writer("m1"));
  Json object = config_map(R"({"a":"1","b":"2","d":"1"})");

  write(object, old, writer("m2"));

  EXPECT_EQ(fields_of_manager(object, "m1"), json_literal(R"({"f:data":{".":{},"f:a":{}}})"));
  EXPECT_EQ(fields_of_manager(object, "m2"), json_literal(R"({"f:data":{"f:b":{},"f:d":{}}})"));
}

TEST(TrackUpdateTest, WriterAddsToItsOwnEntryAndRenewsItsTime) {
  Json old = config_map(R"({"a":"1"})");
  write(old, Json(), writer("m", "2026-01-01T00:00:00Z"));
  Json object = config_map(R"({"a":"1","b":"1"})");

  write(object, old, writer("m", "2026-01-02T00:00:00Z"));

  EXPECT_EQ(fields_of_manager(object, "m"),
            json_literal(R"({"f:data":{".":{},"f:a":{},"f:b":{}}})"));
  EXPECT_EQ(object.get("metadata").get("managedFields").items()[0].text_at({"time"}),
            "2026-01-02T00:00:00Z");
}

TEST(TrackUpdateTest, WriteWithoutChangeKeepsEverything) {
  Json old = config_map(R"({"a":"1"})");
  write(old, Json(), writer("m", "2026-01-01T00:00:00Z"));
  Json object = config_map(R"({"a":"1"})");

  write(object, old, writer("m2", "2026-01-02T00:00:00Z"));

  EXPECT_EQ(object, old);
}

TEST(TrackUpdateTest, ResetFieldsHaveNoOwner) {
  Json pod = json_literal(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},
    "spec":{"nodeName":"n"},"status":{"phase":"Pending"}})");
  FieldManager manager = writer("m");
  manager.reset_fields = {"status"};

  write(pod, Json(), manager);

  EXPECT_EQ(fields_of_manager(pod, "m"), json_literal(R"({"f:spec":{"f:nodeName":{}}})"));
}

TEST(TrackUpdateTest, ListElementsAreFollowedByKeyWhateverTheirOrder) {
  Json old = json_literal(R"({"apiVersion":"v1","kind":"Pod","metadata":{},"spec":{"containers":[
    {"name":"a","image":"1","resources":{}},{"name":"b","image":"1","resources":{}}]},
    "status":{}})");
  write(old, Json(), writer("m1"));
  Json pod = json_literal(R"({"apiVersion":"v1","kind":"Pod","metadata":{},"spec":{"containers":[
    {"name":"b","image":"2","resources":{}},{"name":"a","image":"1","resources":{}}]},
    "status":{}})");

  write(pod, old, writer("m2"));

  EXPECT_EQ(fields_of_manager(pod, "m2"),
            json_literal(R"({"f:spec":{"f:containers":{"k:{\"name\":\"b\"}":{"f:image":{}}}}})"));
}

TEST(TrackUpdateTest, ClientMayResetTheEntriesButNotLoseThem) {
  Json old = config_map(R"({"a":"1"})");
  write(old, Json(), writer("m"));

  Json forgotten = config_map(R"({"a":"1"})");
  write(forgotten, old, writer("m2"));
  EXPECT_TRUE(forgotten.get("metadata").contains("managedFields"));

  Json malformed = config_map(R"({"a":"1"})");
  malformed["metadata"].set("managedFields", json_literal(R"([{"manager":"x"}])"));
  write(malformed, old, writer("m2"));
  EXPECT_EQ(malformed.get("metadata"), old.get("metadata"));

  for (const char* reset : {"[{}]", "[]"}) {
    Json cleared = config_map(R"({"a":"2"})");
    cleared["metadata"].set("managedFields", json_literal(reset));
    write(cleared, old, writer("m2"));
    EXPECT_FALSE(cleared.get("metadata").contains("managedFields")) << reset;
  }
}

TEST(TrackUpdateTest, ObjectsWithoutEntriesStayUntracked) {
  const Json old = config_map(R"({"a":"1"})");
  Json object = config_map(R"({"a":"2"})");

  write(object, old, writer("m"));

  EXPECT_FALSE(object.get("metadata").contains("managedFields"));
}

TEST(TrackUpdateTest, OldestUpdatersBecomeOneEntryBeyondTen) {
  Json object = config_map(R"({"k":"0"})");
  write(object, Json(), writer("m0", "2026-01-01T00:00:00Z"));
  for (int i = 1; i < 12; ++i) {
    Json next = object;
    next["data"].set("k" + std::to_string(i), "v");
    const std::string name = "m" + std::to_string(i);
    const std::string time = "2026-01-01T00:00:" + std::to_string(10 + i) + 'Z';
    write(next, object, writer(name.c_str(), time.c_str()));
    object = std::move(next);
  }

  EXPECT_EQ(object.get("metadata").get("managedFields").size(), 10u);
  EXPECT_EQ(fields_of_manager(object, "ancient-changes"),
            json_literal(R"({"f:data":{".":{},"f:k":{},"f:k1":{},"f:k2":{}}})"));
  EXPECT_TRUE(fields_of_manager(object, "m2").is_null());
  EXPECT_FALSE(fields_of_manager(object, "m3").is_null());
}

TEST(TrackUpdateTest, SameButForTimesLooksAtEntriesWithoutTheirTimes) {
  Json a = config_map(R"({"a":"1"})");
  Json b = a;
  write(a, Json(), writer("m", "2026-01-01T00:00:00Z"));
  write(b, Json(), writer("m", "2026-01-02T00:00:00Z"));
  Json c = a;
  c["data"].set("a", "2");

  EXPECT_TRUE(same_but_for_times(a, b));
  EXPECT_FALSE(same_but_for_times(a, c));
  EXPECT_FALSE(same_but_for_times(a, config_map(R"({"a":"1"})")));
}

}  // namespace
}  // namespace davit
