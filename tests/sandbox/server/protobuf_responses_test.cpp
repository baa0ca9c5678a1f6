// Responds in protobuf: what the decoder makes of them is what a client gets in JSON.
#include <gtest/gtest.h>

#include <davit/base64.hpp>
#include <fstream>
#include <iterator>

#include "lib/kube/yaml.hpp"
#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

const std::string kProtobufType = "application/vnd.kubernetes.protobuf";
const std::string kOurConfigMaps = "/api/v1/namespaces/conf/configmaps";

std::string file_content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string response_type(Sandbox& sandbox, const std::string& target, const std::string& accept) {
  HttpServerRequest request;
  request.method = "GET";
  request.target = target;
  request.headers = {{"Accept", accept}};
  return sandbox.server->handle(request).content_type;
}

/// As the API keeps it, so that the order and empty members do not count.
std::string conformed(Json object) {
  const Message* schema = find_schema(object.get("apiVersion").text(), object.get("kind").text());
  EXPECT_NE(schema, nullptr) << to_text(object);
  FieldFindings findings;
  const Status status = conform(*schema, object, findings);
  EXPECT_TRUE(status.ok()) << status.message();
  return to_canonical_text(object);
}

std::string decoded(std::string_view protobuf) {
  Result<Json> object = decode_protobuf(protobuf, "object");
  EXPECT_TRUE(object.has_value()) << object.error().message();
  return object ? conformed(std::move(*object)) : "";
}

Json one_of(const Reply& list, const std::string& kind, const std::string& api_version) {
  Json out = list.body.get("items").items().front();
  out.set("kind", kind);
  out.set("apiVersion", api_version);
  return out;
}

struct KindRow {
  std::string path;
  std::string name;
  std::string object;
};

std::vector<KindRow> rows_of_all_kinds() {
  std::vector<KindRow> out;
  for (const char* file : {"/14_all_kinds.yaml", "/15_all_kinds_of_the_cluster.yaml"}) {
    const std::string path = std::string(DAVIT_API_CHECKS) + file;
    const YamlDocument document = parse_yaml(file_content(path), path);
    EXPECT_TRUE(document.mistakes.empty());
    for (const YamlNode& check : document.root.find("checks")->items) {
      for (const YamlNode& row : check.find("for_each")->items) {
        out.push_back({row.find("path")->text, row.find("name")->text, row.find("object")->text});
      }
    }
  }
  return out;
}

TEST(ProtobufResponsesTest, EveryKindReadsBackAsItsJson) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post("/api/v1/namespaces", R"({"metadata":{"name":"conf"}})").code, 201);
  const std::vector<KindRow> rows = rows_of_all_kinds();
  EXPECT_GT(rows.size(), 50u);
  for (const KindRow& row : rows) {
    ASSERT_EQ(sandbox.post(row.path, row.object).code, 201) << row.path;
    const std::string item = row.path + "/" + row.name;
    const Json json = sandbox.get(item).body;
    const Reply response = sandbox.send("GET", item, "", {{"Accept", kProtobufType}});
    EXPECT_EQ(decoded(response.text), conformed(json)) << row.path;
    EXPECT_EQ(response_type(sandbox, item, kProtobufType), kProtobufType);
    // A LimitRange and its like would count for what follows.
    EXPECT_EQ(sandbox.remove(item).code, 200) << row.path;
  }
}

TEST(ProtobufResponsesTest, BytesOfARealServerReadAsOursDo) {
  const Result<Json> golden = parse_json(file_content(DAVIT_GOLDEN "/protobuf_answers.json"));
  ASSERT_TRUE(golden.has_value());
  EXPECT_GT(golden->size(), 15u);
  for (const Json& each : golden->items()) {
    const std::optional<std::string> ours = encode_protobuf(each.get("json"));
    ASSERT_TRUE(ours.has_value()) << each.text_at({"of"});
    const std::string real = decode_base64(each.text_at({"protobuf"})).value_or("");
    EXPECT_EQ(decoded(*ours), decoded(real)) << each.text_at({"of"});
    EXPECT_EQ(decoded(*ours), conformed(each.get("json"))) << each.text_at({"of"});
  }
}

class ProtobufConfigMapTest : public testing::Test {
 protected:
  ProtobufConfigMapTest() {
    EXPECT_EQ(sandbox.post("/api/v1/namespaces", R"({"metadata":{"name":"conf"}})").code, 201);
    EXPECT_EQ(
        sandbox.post(kOurConfigMaps, R"({"metadata":{"name":"a"},"data":{"k":"v","":"e"}})").code,
        422);
    EXPECT_EQ(
        sandbox
            .post(kOurConfigMaps,
                  R"({"metadata":{"name":"a"},"data":{"z":"v","k":""},"binaryData":{"b":"AAE="}})")
            .code,
        201);
  }
  Reply ask(const std::string& target, const std::string& accept) {
    return sandbox.send("GET", target, "", {{"Accept", accept}});
  }
  Sandbox sandbox;
};

TEST_F(ProtobufConfigMapTest, ListsHoldTheirItemsAndWhereTheyContinue) {
  ASSERT_EQ(sandbox.post(kOurConfigMaps, R"({"metadata":{"name":"b"}})").code, 201);
  const std::string first_page = kOurConfigMaps + "?limit=1";

  const Reply list = ask(first_page, kProtobufType);

  // ListMeta {2 resourceVersion, 3 continue, 4 remainingItemCount}, then the item: all as in JSON.
  const std::optional<std::string> expected = encode_protobuf(sandbox.get(first_page).body);
  EXPECT_EQ(list.text, expected.value_or("none"));
  EXPECT_NE(list.text.find("ConfigMapList"), std::string::npos);
  const Json item = one_of(sandbox.get(first_page), "ConfigMap", "v1");
  const std::string bytes = encode_protobuf(item).value_or("none");
  // The envelope around the item: 4 bytes of prefix, 17 of the type and 2 or 3 of the length.
  const std::string inner = bytes.substr(24, bytes.size() - 28);
  EXPECT_NE(list.text.find(inner), std::string::npos);
}

TEST_F(ProtobufConfigMapTest, WatchesAreFramesWithTheirLength) {
  const Reply watch = ask(kOurConfigMaps + "?watch=1&timeoutSeconds=5", kProtobufType);
  ASSERT_NE(watch.stream, nullptr);
  EXPECT_EQ(response_type(sandbox, kOurConfigMaps + "?watch=1", kProtobufType),
            kProtobufType + ";stream=watch");
  ASSERT_EQ(sandbox.remove(kOurConfigMaps + "/a").code, 200);

  std::string bytes;
  static_cast<void>(watch.stream->read(bytes, 1 << 20));

  std::string events;
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::optional<ProtobufEvent> event = decode_protobuf_event(rest);
    ASSERT_TRUE(event.has_value());
    events += event->type + " " + event->object.text_at({"metadata", "name"}) + " ";
    rest.remove_prefix(event->bytes);
  }
  EXPECT_EQ(events, "ADDED a DELETED a ");
}

TEST_F(ProtobufConfigMapTest, RefusalsAndMetadataAreProtobufToo) {
  const Reply refused = ask(kOurConfigMaps + "/none", kProtobufType);
  EXPECT_EQ(refused.code, 404);
  EXPECT_EQ(refused.text,
            encode_protobuf(sandbox.get(kOurConfigMaps + "/none").body).value_or("none"));

  const std::string metadata = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  const Reply partial = ask(kOurConfigMaps + "/a", kProtobufType + metadata);
  EXPECT_EQ(partial.text,
            encode_protobuf(ask(kOurConfigMaps + "/a", "application/json" + metadata).body)
                .value_or("none"));
  EXPECT_NE(partial.text.find("PartialObjectMetadata"), std::string::npos);
}

}  // namespace
}  // namespace davit::sandbox
