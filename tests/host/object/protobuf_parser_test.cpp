#include "host/object/protobuf_parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/base64.hpp>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "host/object/metadata.hpp"
#include "host/object/parse.hpp"
#include "host/object/protobuf_envelope.hpp"
#include "host/object/protobuf_writer.hpp"
#include "tests/host/object/golden.hpp"
#include "tests/host/object/protobuf_text.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

class ProtobufParserTest : public testing::Test {
 protected:
  /// Expects that both forms give the same object.
  void expect_same(std::string_view json, std::string_view bytes,
                   const ParseOptions& options = {}) {
    const Result<ObjectRef> expected = json_.parse(json, options);
    const Result<ObjectRef> object = protobuf_.parse(bytes, options);
    ASSERT_TRUE(expected) << expected.error().message();
    ASSERT_TRUE(object) << object.error().message();
    EXPECT_TRUE(object->root() == expected->root()) << object->root().json() << "\nis not\n"
                                                    << expected->root().json();
    EXPECT_EQ(object->root().hash(), expected->root().hash());
    EXPECT_EQ(metadata(**object).name, metadata(**expected).name);
    EXPECT_EQ(metadata(**object).uid, metadata(**expected).uid);
    EXPECT_EQ(metadata(**object).resource_version, metadata(**expected).resource_version);
    EXPECT_EQ(controller_uid(**object), controller_uid(**expected));
  }

  Mask keep(const std::vector<std::string>& paths) {
    const Result<Mask> mask = space_.add_keep_projection(paths);
    EXPECT_TRUE(mask);
    return mask.value_or(kFullMask);
  }

  std::string error(std::string_view bytes, const ParseOptions& options = {}) {
    const Result<ObjectRef> object = protobuf_.parse(bytes, options);
    EXPECT_FALSE(object);
    return object ? "" : object.error().message();
  }

  ObjectSpace space_;
  Parser json_{space_};
  ProtobufParser protobuf_{space_};
};

/// Responses of a real API server in both forms.
struct RecordedPair {
  std::string of;
  std::string json;
  std::string protobuf;
};
std::vector<RecordedPair> recorded_pairs() {
  std::ifstream file(std::string(DAVIT_GOLDEN_DIR) + "/protobuf_answers.json", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<RecordedPair> out;
  const Json recorded = parse_json(text).value_or(Json());
  for (const Json& each : recorded.items()) {
    out.push_back({each.text_at({"of"}), to_text(each.get("json")),
                   decode_base64(each.text_at({"protobuf"})).value_or("")});
  }
  EXPECT_GT(out.size(), 15U);
  return out;
}

std::string pod(const std::string& spec) {
  return wire_envelope("v1", "Pod", wire_field(1, wire_field(1, "a")) + wire_field(2, spec));
}

TEST_F(ProtobufParserTest, RecordedObjectsAreTheSameInBothForms) {
  for (const RecordedPair& each : recorded_pairs()) {
    SCOPED_TRACE(each.of);
    expect_same(each.json, each.protobuf);
  }
}

TEST_F(ProtobufParserTest, EveryFieldOfEveryKindIsTheSameInBothForms) {
  std::size_t kinds = 0;
  for (const Json& each : FilledObjects::of_every_kind()) {
    SCOPED_TRACE(each.get("kind").text());
    const std::string json = served_json(to_text(each));
    expect_same(json, protobuf(json));
    ++kinds;
  }
  EXPECT_GT(kinds, 60U);
}

TEST_F(ProtobufParserTest, EmptyObjectsHaveTheMembersThatGoAlwaysWrites) {
  for (const Json& each : FilledObjects::of_every_kind()) {
    const std::string& kind = each.get("kind").text();
    const std::string& version = each.get("apiVersion").text();
    SCOPED_TRACE(kind);
    const Json empty = Json::object({{"kind", kind}, {"apiVersion", version}});
    expect_same(served_json(to_text(empty)), wire_envelope(version, kind, ""));
  }
}

TEST_F(ProtobufParserTest, ProjectionsKeepTheSameOfBothForms) {
  const std::string json = served_json(golden("pod.json"));
  const std::string bytes = protobuf(json);
  const std::vector<std::string> projections[] = {
      {},
      {"spec.nodeName"},
      {"spec.containers[].name", "status.conditions[].type", "metadata.labels"},
      {"spec.containers"},
      {"metadata.labels['app']", "metadata.annotations['nothing']"},
      {"spec.containers.name"},
      {"spec.tolerations[]", "spec.volumes[].projected.sources[].configMap.items[].key"},
      {"status.containerStatuses[].state.running.startedAt", "status.hostIPs[].ip"},
      {"metadata.managedFields", "metadata.creationTimestamp"},
  };
  for (const std::vector<std::string>& paths : projections) {
    SCOPED_TRACE(testing::PrintToString(paths));
    expect_same(json, bytes, {.keep_mask = keep(paths)});
  }
}

TEST_F(ProtobufParserTest, ProjectionsReachIntoRawJson) {
  const std::string json =
      served_json(R"({"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"name":"a"},)"
                  R"("data":{"spec":{"a":1,"b":[2]},"x":"y"},"revision":3})");
  for (const char* path : {"data", "data.spec.b", "data.spec", "data.z", "revision"}) {
    expect_same(json, protobuf(json), {.keep_mask = keep({path})});
  }
}

TEST_F(ProtobufParserTest, ManagedFieldsOfTheObjectAreDroppedAndThoseOfATemplateKept) {
  const std::string json = served_json(
      R"({"kind":"ReplicaSet","apiVersion":"apps/v1","metadata":{"name":"a","managedFields":)"
      R"([{"manager":"x"}]},"spec":{"selector":{},"template":{"metadata":{"managedFields":)"
      R"([{"manager":"y"}]}}}})");
  expect_same(json, protobuf(json));
  EXPECT_THAT(protobuf_.parse(protobuf(json))->root().json(), HasSubstr(R"("manager":"y")"));
}

TEST_F(ProtobufParserTest, ItemsOfListsAreWithoutAKindButForPartialMetadata) {
  const std::string meta = wire_field(1, wire_field(1, "a"));
  const Result<ProtobufType> pods = item_type("v1", "PodList");
  ASSERT_TRUE(pods);
  EXPECT_THAT(protobuf_.parse(meta, *pods, {})->root().json(),
              testing::StartsWith(R"({"metadata":{"name":"a"})"));
  const Result<ProtobufType> partial = item_type("meta.k8s.io/v1", "PartialObjectMetadataList");
  ASSERT_TRUE(partial);
  EXPECT_EQ(protobuf_.parse(meta, *partial, {})->root().json(),
            R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
            R"("metadata":{"name":"a"}})");
  EXPECT_EQ(item_type("v1", "Pod").error().code(), Code::kUnsupported);
  EXPECT_EQ(item_type("acme.io/v1", "ThingList").error().code(), Code::kUnsupported);
}

TEST_F(ProtobufParserTest, FieldThatTheTablesLackIsRefusedWhereSomebodyMayReadIt) {
  const std::string newer = pod(wire_field(10, "node") + wire_field(999, "new"));

  EXPECT_THAT(error(newer), HasSubstr("field 999 of core.v1.PodSpec"));
  EXPECT_EQ(protobuf_.fault(), ParseFault::kUnknown);
  (void)error(newer, {.keep_mask = keep({"spec"})});
  EXPECT_EQ(protobuf_.fault(), ParseFault::kUnknown);
  (void)error(newer, {.keep_mask = keep({"spec.nodeName", "spec.brandNew"})});
  EXPECT_EQ(protobuf_.fault(), ParseFault::kUnknown) << "the declared member may be field 999";

  for (const char* path : {"spec.nodeName", "metadata", "status"}) {
    EXPECT_TRUE(protobuf_.parse(newer, {.keep_mask = keep({path})})) << path;
    EXPECT_EQ(protobuf_.fault(), ParseFault::kNone);
  }
}

TEST_F(ProtobufParserTest, FieldInAnInlinedMessageIsJudgedLikeItsNeighbours) {
  // Container 10 livenessProbe {1 handler, inlined}.
  const std::string newer =
      pod(wire_field(2, wire_field(10, wire_field(1, wire_field(99, "new")))));
  (void)error(newer, {.keep_mask = keep({"spec.containers[].livenessProbe"})});
  EXPECT_EQ(protobuf_.fault(), ParseFault::kUnknown);
  EXPECT_TRUE(
      protobuf_.parse(newer, {.keep_mask = keep({"spec.containers[].livenessProbe.exec"})}));
}

TEST_F(ProtobufParserTest, KindThatTheTablesLackIsUnsupported) {
  const Result<ObjectRef> object = protobuf_.parse(wire_envelope("v1", "Gadget", ""));
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code(), Code::kUnsupported);
  EXPECT_EQ(protobuf_.fault(), ParseFault::kUnknown);
}

TEST_F(ProtobufParserTest, OrderThatNoServerWritesIsLeftToJson) {
  const std::string containers = wire_field(2, wire_field(1, "a"));
  (void)error(pod(containers + wire_field(10, "node") + containers));
  EXPECT_EQ(protobuf_.fault(), ParseFault::kUnknown) << "the list would have to be continued";
  (void)error(pod(wire_field(10, "node") + wire_field(10, "other")));
  EXPECT_EQ(protobuf_.fault(), ParseFault::kUnknown);
}

TEST_F(ProtobufParserTest, EmptyClusterNameOfOldServersIsPassedOver) {
  const Result<ObjectRef> object = protobuf_.parse(
      wire_envelope("v1", "ConfigMap", wire_field(1, wire_field(1, "a") + wire_field(15, ""))));
  ASSERT_TRUE(object) << object.error().message();
  EXPECT_EQ(object->root().json(),
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}})");
}

TEST_F(ProtobufParserTest, BytesThatAreNotUtf8AreReplacedAsInTheServersJson) {
  const std::string bytes =
      wire_envelope("v1", "ConfigMap",
                    wire_field(2, wire_field(1, "k\xff") + wire_field(2, "a\xc3(\xed\xa0\x80")));
  expect_same(
      "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{},\"data\":"
      "{\"k\xef\xbf\xbd\":\"a\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"}}",
      bytes);
}

TEST_F(ProtobufParserTest, LastEntryOfAMapCounts) {
  const auto entry = [](const std::string& key, const std::string& value) {
    return wire_field(2, wire_field(1, key) + wire_field(2, value));
  };
  expect_same(
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{},"data":{"b":"2","a":"3"}})",
      wire_envelope("v1", "ConfigMap", entry("a", "1") + entry("b", "2") + entry("a", "3")));
}

TEST_F(ProtobufParserTest, NestingIsLimitedAsInJson) {
  // CustomResourceDefinition: spec.versions[].schema.openAPIV3Schema.not.not…
  std::string schema;
  for (int i = 0; i < 122; ++i) schema = wire_field(28, schema);
  const auto crd = [](const std::string& inner) {
    return wire_envelope(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition",
        wire_field(2, wire_field(7, wire_field(1, "v1") + wire_field(4, wire_field(1, inner)))));
  };
  EXPECT_TRUE(protobuf_.parse(crd(schema))) << "the 128th level";
  EXPECT_THAT(error(crd(wire_field(28, schema))), HasSubstr("nested too deeply"));
  EXPECT_EQ(protobuf_.fault(), ParseFault::kTooDeep);
}

TEST_F(ProtobufParserTest, NestingOfRawJsonCountsWithWhatIsAroundIt) {
  const auto revision = [](std::size_t depth) {
    return wire_envelope(
        "apps/v1", "ControllerRevision",
        wire_field(2, wire_field(1, std::string(depth, '[') + std::string(depth, ']'))));
  };
  EXPECT_TRUE(protobuf_.parse(revision(127)));
  EXPECT_THAT(error(revision(128)), HasSubstr("nested too deeply"));
  EXPECT_EQ(protobuf_.fault(), ParseFault::kTooDeep);
  (void)error(wire_envelope("apps/v1", "ControllerRevision", wire_field(2, wire_field(1, "{"))));
  EXPECT_EQ(protobuf_.fault(), ParseFault::kMalformed);
}

TEST_F(ProtobufParserTest, ObjectThatGrowsBeyondNarrowSizesIsReadAllTheSame) {
  // Each empty container has two members that are always written: 2 bytes become some 16.
  std::string spec;
  for (int i = 0; i < 15'000; ++i) spec += wire_field(2, "");
  const Result<ObjectRef> object = protobuf_.parse(pod(spec));
  ASSERT_TRUE(object) << object.error().message();
  EXPECT_EQ(object->root()["spec"]["containers"].count(), 15'000U);
  EXPECT_EQ(object->root()["spec"]["containers"].at(14'999).json(),
            R"({"name":"","resources":{}})");
}

TEST_F(ProtobufParserTest, ObjectsAreLimitedTo64MiB) {
  const std::string large(kObjectBytesMax, 'x');
  EXPECT_THAT(error(pod(wire_field(10, large))), HasSubstr("64 MiB"));
  EXPECT_EQ(protobuf_.fault(), ParseFault::kTooLarge);
}

TEST_F(ProtobufParserTest, EveryCutOfAnObjectIsAnError) {
  for (const RecordedPair& each : recorded_pairs()) {
    // Behind its type stands the object, and behind that are two empty fields of two bytes.
    const std::size_t behind_type = 6 + static_cast<std::size_t>(each.protobuf[5]);
    for (std::size_t size = 0; size + 4 < each.protobuf.size(); ++size) {
      if (size == behind_type) continue;  // An object without a byte is one.
      const Result<ObjectRef> object = protobuf_.parse(each.protobuf.substr(0, size));
      ASSERT_FALSE(object) << each.of << " cut at " << size;
    }
  }
}

TEST_F(ProtobufParserTest, EveryByteOfAnObjectMayBeWrong) {
  for (const RecordedPair& each : recorded_pairs()) {
    std::string bytes = each.protobuf;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (const char wrong : {'\0', '\x01', '\x12', '\x7f', '\xff'}) {
        const char right = std::exchange(bytes[at], wrong);
        const Result<ObjectRef> object = protobuf_.parse(bytes);
        if (object) (void)object->root().json();
        EXPECT_EQ(object.has_value(), protobuf_.fault() == ParseFault::kNone);
        bytes[at] = right;
      }
    }
  }
}

TEST_F(ProtobufParserTest, ParserIsAsGoodAsNewAfterAnError) {
  (void)error(pod(wire_field(2, "\xff")));
  expect_same(
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"containers":null},)"
      R"("status":{}})",
      pod("") + wire_field(3, ""));
}

TEST_F(ProtobufParserTest, NumbersAreWrittenAsGoWritesThem) {
  struct Row {
    double value;
    std::string text;
  };
  for (const Row& row : std::initializer_list<Row>{{0.5, "0.5"},
                                                   {100000, "100000"},
                                                   {1e20, "100000000000000000000"},
                                                   {1e21, "1e+21"},
                                                   {1e-6, "0.000001"},
                                                   {1.5e-9, "1.5e-9"},
                                                   {-2e-10, "-2e-10"}}) {
    std::string number("\x49", 1);  // JSONSchemaProps 9 maximum, fixed64.
    number.append(reinterpret_cast<const char*>(&row.value), sizeof row.value);
    const Result<ObjectRef> object = protobuf_.parse(
        wire_envelope("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                      wire_field(2, wire_field(7, wire_field(4, wire_field(1, number))))));
    ASSERT_TRUE(object) << object.error().message();
    EXPECT_EQ(
        object->root()["spec"]["versions"].at(0)["schema"]["openAPIV3Schema"]["maximum"].number(),
        row.text);
  }
}

TEST_F(ProtobufParserTest, EitherFormIsRead) {
  const std::string json = served_json(golden("pod.json"));
  EXPECT_TRUE(parse_either(space_, json)->root() == parse_either(space_, protobuf(json))->root());
}

TEST(ProtobufWriterTest, TapeIsNotLongerThanPermitted) {
  ObjectSpace space;
  TapeWriter tape(space);
  ProtobufWriter writer(space, tape);
  std::string statuses;
  for (int i = 0; i < 1000; ++i) statuses += wire_field(8, "");  // PodStatus.containerStatuses.
  const Message& status = *schemas().find("core.v1.PodStatus");
  constexpr std::size_t kLimit = 20'000;
  tape.begin(kLimit);
  EXPECT_FALSE(writer.write(statuses, status, {}, {}, kLimit));
  EXPECT_TRUE(writer.is_full());
  EXPECT_LT(tape.bytes().size(), kLimit + 100);
  tape.begin(2 * kLimit);
  EXPECT_TRUE(writer.write(statuses, status, {}, {}, 2 * kLimit)) << tape.bytes().size();
}

TEST(ProtobufIdentityTest, IdentityIsReadFromWhatIsThere) {
  const std::string owner = wire_field(4, "owner-uid") + std::string("\x30\x01", 2);
  const std::string meta = wire_field(1, "a") + wire_field(3, "ns") + wire_field(5, "uid") +
                           wire_field(6, "7") + wire_field(13, wire_field(4, "other")) +
                           wire_field(13, owner);
  const std::string whole =
      wire_envelope("v1", "Pod", wire_field(1, meta) + wire_field(2, "\xff\xff"));
  const ObjectIdentity expected{.api_version = "v1",
                                .kind = "Pod",
                                .ns = "ns",
                                .name = "a",
                                .uid = "uid",
                                .resource_version = "7",
                                .controller_uid = "owner-uid"};
  EXPECT_EQ(read_protobuf_identity(whole), expected) << "the spec is damaged";
  EXPECT_EQ(read_protobuf_identity(whole.substr(0, whole.size() - 6)), expected) << "cut behind it";
  const ObjectIdentity item = read_protobuf_identity(wire_field(1, meta));
  EXPECT_EQ(item.uid, "uid");
  EXPECT_EQ(item.kind, "");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const ObjectIdentity cut = read_protobuf_identity(whole.substr(0, size));
    EXPECT_TRUE(cut.uid.empty() || cut.uid == "uid") << "never half a text";
    EXPECT_TRUE(cut.name.empty() || cut.name == "a");
  }
}

}  // namespace
}  // namespace davit::host
