#include <gtest/gtest.h>

#include "sandbox/output/output.hpp"

namespace davit::sandbox {
namespace {

/// Shows name and phase.
class TwoColumns : public KindRules {
 public:
  void set_defaults(Json&) const override {}
  void prepare_create(Json&) const override {}
  void prepare_update(Json&, const Json&, UpdateTarget) const override {}
  FieldErrors validate_create(const Json&) const override { return {}; }
  FieldErrors validate_update(const Json&, const Json&, UpdateTarget) const override { return {}; }
  bool raises_generation(const Json&, const Json&) const override { return false; }
  std::vector<Column> columns() const override {
    return {{"Name", "string", "name", "The name.", 0}, {"Phase", "string", "", "", 1}};
  }
  Json::Items cells(const Json& object, WallTime) const override {
    return {Json(object.text_at({"metadata", "name"})), Json(object.text_at({"status", "phase"}))};
  }
};

Resource pods() {
  Resource out;
  out.version = "v1";
  out.name = "pods";
  out.kind = "Pod";
  out.rules = std::make_shared<TwoColumns>();
  return out;
}

Json pod(std::string_view name, std::string_view phase) {
  Json out = json_literal(R"({"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{}})");
  out["metadata"]["name"] = name;
  out["status"]["phase"] = phase;
  return out;
}

std::string rows_of(const Json& table) { return to_text(table.get("rows")); }

TEST(TableTest, EachObjectIsARow) {
  const Json objects[] = {pod("a", "Running"), pod("b", "Failed")};
  const Json table = to_table(pods(), objects, Json::object({{"resourceVersion", "7"}}), {},
                              ShowColumns::kYes, {});
  EXPECT_EQ(
      to_text(table),
      R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},)"
      R"("columnDefinitions":[{"name":"Name","type":"string","format":"name",)"
      R"("description":"The name.","priority":0},{"name":"Phase","type":"string","format":"",)"
      R"("description":"","priority":1}],"rows":[{"cells":["a","Running"],"object":)"
      R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}}},)"
      R"({"cells":["b","Failed"],"conditions":[{"type":"Completed","status":"True",)"
      R"("reason":"Failed"}],"object":{"kind":"PartialObjectMetadata",)"
      R"("apiVersion":"meta.k8s.io/v1","metadata":{"name":"b"}}}]})");
}

TEST(TableTest, IncludeObjectSaysWhatGoesWithARow) {
  const Json objects[] = {pod("a", "Running")};
  OutputForm form;
  form.include = IncludeObject::kNone;
  EXPECT_EQ(rows_of(to_table(pods(), objects, {}, form, ShowColumns::kYes, {})),
            R"([{"cells":["a","Running"],"object":null}])");
  form.include = IncludeObject::kWhole;
  EXPECT_EQ(rows_of(to_table(pods(), objects, {}, form, ShowColumns::kYes, {})),
            R"([{"cells":["a","Running"],"object":)" + to_text(objects[0]) + "}]");
}

TEST(TableTest, EmptyListsHaveNoRows) {
  EXPECT_EQ(rows_of(to_table(pods(), {}, {}, {}, ShowColumns::kYes, {})), "[]");
}

TEST(TableTest, LaterEventsOfAWatchShowNoColumns) {
  const Json objects[] = {pod("a", "Running")};
  const Json table = to_table(pods(), objects, {}, {}, ShowColumns::kNo, {});
  EXPECT_TRUE(table.contains("columnDefinitions"));
  EXPECT_TRUE(table.get("columnDefinitions").is_null());
}

TEST(PartialMetadataTest, OnlyMetadataIsLeft) {
  OutputForm form;
  form.meta_version = "v1beta1";
  EXPECT_EQ(to_text(to_partial_metadata(pod("a", "Running"), form)),
            R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1",)"
            R"("metadata":{"name":"a"}})");
}

TEST(TableTest, KindsWithoutRulesShowNameAndAge) {
  Resource plain = pods();
  plain.rules = nullptr;
  const Json objects[] = {
      json_literal(R"({"metadata":{"name":"a","creationTimestamp":"2026-01-01T00:00:00Z"}})")};
  OutputForm form;
  form.include = IncludeObject::kNone;
  const Json table = to_table(plain, objects, {}, form, ShowColumns::kYes, {});
  EXPECT_EQ(table.get("columnDefinitions").size(), 2u);
  EXPECT_EQ(rows_of(table), R"([{"cells":["a","2026-01-01T00:00:00Z"],"object":null}])");
}

TEST(EncodeTest, BodiesEndWithANewline) {
  const Json body = Json::object({{"a", 1}});
  OutputForm form;
  EXPECT_EQ(encode_body(body, form).text, "{\"a\":1}\n");
  form.pretty = true;
  EXPECT_EQ(encode_body(body, form).text, "{\n  \"a\": 1\n}\n");
  EXPECT_EQ(encode_body(body, form).content_type, "application/json");
  form.media = Media::kYaml;
  EXPECT_EQ(encode_body(body, form).text, "a: 1\n");
  EXPECT_EQ(encode_body(body, form).content_type, "application/yaml");
}

}  // namespace
}  // namespace davit::sandbox
