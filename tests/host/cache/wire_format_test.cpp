// Lists and watches in protobuf, and everything that leads back to JSON.
#include <gmock/gmock.h>

#include "host/cache/rest_list_watch.hpp"
#include "tests/host/cache/cache_fixture.hpp"
#include "tests/host/object/protobuf_text.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kAskedJson = WireFormat::kJson;
constexpr auto kAskedProtobuf = WireFormat::kProtobuf;

InformerSpec resource(std::string group, std::string version, std::string plural) {
  return {{std::move(group), std::move(version), std::move(plural)}, {}, {}, {}};
}

/// An event, given as JSON, as a frame.
std::string frame_of(const std::string& event) {
  const Json json = parse_json(event).value_or(Json());
  return encode_protobuf_event(json.get("type").text(), json.get("object")).value_or("");
}

std::string frame_of(std::string_view type, const std::string& object) {
  const std::string event = wire_field(1, std::string(type)) + wire_field(2, wire_field(1, object));
  std::string out;
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(event.size() >> shift);
  return out + event;
}

/// A pod with a field that only a newer server knows: spec.999.
std::string newer_pod(const std::string& name, const std::string& version) {
  const std::string meta = wire_field(1, name) + wire_field(3, "default") +
                           wire_field(5, "uid-" + name) + wire_field(6, version);
  return wire_field(1, meta) + wire_field(2, wire_field(10, "n1") + wire_field(999, "new"));
}

std::string pod_list(const std::string& version, const std::string& items) {
  return wire_envelope("v1", "PodList", wire_field(1, wire_field(2, version)) + items);
}

class CountingMetrics final : public CacheMetrics {
 public:
  std::unique_ptr<InformerMetrics> informer(const ResourceId&) override {
    class Counter final : public InformerMetrics {
     public:
      explicit Counter(int& fallbacks) : fallbacks_(fallbacks) {}
      void fell_back_to_json() override { ++fallbacks_; }

     private:
      int& fallbacks_;
    };
    return std::make_unique<Counter>(fallbacks);
  }
  int fallbacks = 0;
};

class WireFormatTest : public CacheTest {
 protected:
  void make(InformerSpec spec = resource("", "v1", "pods"), ReflectorOptions options = {}) {
    options.streaming_list = false;
    informer_ = std::make_unique<Informer>(
        std::move(spec), InformerSeams{api_, space_, clock_, *random_, counted_, {}, &contact_},
        Logger(log_), options);
    ASSERT_TRUE(informer_->prepare().ok());
  }
  void play(std::string body, std::size_t chunk = 0) {
    reply({.body = std::move(body), .chunk = chunk});
    step();
  }
  /// The pod as the cache holds it, in JSON.
  std::string held(std::string_view name) {
    const ObjectRef object = informer_->store().get("default", name);
    return object ? object.root().json() : "(none)";
  }
  void expect_one_fallback() const {
    EXPECT_EQ(counted_.fallbacks, 1);
    EXPECT_EQ(log_.count("W : Cannot read protobuf of this server in full"), 1U);
  }

  CountingMetrics counted_;
};

TEST_F(WireFormatTest, ListAndWatchInProtobufGiveWhatJsonGives) {
  const PodSpec a{.name = "a", .version = "3", .node = "n1", .owner = "rs-uid"};
  for (const std::size_t chunk : {1, 7, 100'000}) {
    api_.formats.clear();
    make();
    play(protobuf(list_json("7", {a, {.name = "b", .version = "4"}})), chunk);
    EXPECT_TRUE(informer_->has_synced());
    const ObjectRef listed = informer_->store().get("default", "a");
    play(frame_of(event_json("MODIFIED", {.name = "b", .version = "8", .node = "n2"})) +
             frame_of(event_json("DELETED", {.name = "a", .version = "9"})) +
             frame_of(bookmark_json("12")),
         chunk);
    EXPECT_THAT(api_.formats, ElementsAre(kAskedProtobuf, kAskedProtobuf));
    EXPECT_EQ(held("a"), "(none)");
    const ObjectRef b = informer_->store().get("default", "b");
    EXPECT_EQ(b.root()["spec"]["nodeName"].string(), "n2");
    EXPECT_EQ(b.root()["kind"].string(), "Pod");
    reply({});
    step();
    EXPECT_THAT(api_.asked.back(), HasSubstr("resourceVersion=12"));
    const ObjectRef expected = *parse_object(space_, served_json(json_of(a)));
    for (const char* member : {"metadata", "spec", "status"}) {
      EXPECT_TRUE(listed.root()[member] == expected.root()[member]) << member;
    }
  }
  EXPECT_EQ(counted_.fallbacks, 0);
}

TEST_F(WireFormatTest, StreamingListInProtobufFillsTheCache) {
  make_informer();
  play(frame_of(event_json("ADDED", {.name = "a", .version = "3"})) +
       frame_of(initial_end_json("7")) +
       frame_of(event_json("ADDED", {.name = "b", .version = "8"})));
  EXPECT_TRUE(informer_->has_synced());
  EXPECT_EQ(version_of("a"), "3");
  EXPECT_EQ(version_of("b"), "8");
}

TEST_F(WireFormatTest, ServerThatRespondsInJsonIsAskedForProtobufAgain) {
  make();
  play(list_json("7", {{.name = "a", .version = "3"}}));
  play(event_json("MODIFIED", {.name = "a", .version = "8"}));
  EXPECT_EQ(version_of("a"), "8");
  EXPECT_THAT(api_.formats, ElementsAre(kAskedProtobuf, kAskedProtobuf));
  EXPECT_EQ(counted_.fallbacks, 0);
}

TEST_F(WireFormatTest, FieldOfANewerServerInAListLeadsBackToJsonWhereItSurvives) {
  make();
  play(pod_list("7", wire_field(2, newer_pod("a", "3")) + wire_field(2, newer_pod("b", "4"))));
  EXPECT_FALSE(informer_->has_synced());
  std::string json = list_json("7", {{.name = "a", .version = "3"}});
  json.insert(json.rfind("}}"), R"(,"brandNew":"new")");
  play(json);
  EXPECT_TRUE(informer_->has_synced());
  EXPECT_THAT(held("a"), HasSubstr(R"("brandNew":"new")"));
  play(event_json("MODIFIED", {.name = "a", .version = "8"}));
  EXPECT_THAT(api_.formats, ElementsAre(kAskedProtobuf, kAskedJson, kAskedJson));
  expect_one_fallback();
}

TEST_F(WireFormatTest, FieldOfANewerServerInAWatchLeadsBackToAListInJson) {
  make();
  play(protobuf(list_json("7", {{.name = "a", .version = "3"}})));
  play(frame_of("MODIFIED", wire_envelope("v1", "Pod", newer_pod("a", "8"))));
  EXPECT_EQ(version_of("a"), "3") << "half of the object is not applied";
  play(list_json("8", {{.name = "a", .version = "8"}}));
  EXPECT_EQ(version_of("a"), "8");
  EXPECT_THAT(api_.asked.back(), HasSubstr("list"));
  EXPECT_THAT(api_.formats, ElementsAre(kAskedProtobuf, kAskedProtobuf, kAskedJson));
  expect_one_fallback();
}

TEST_F(WireFormatTest, FieldOfANewerServerOutsideOfAProjectionChangesNothing) {
  InformerSpec spec = resource("", "v1", "pods");
  spec.projection = std::vector<std::string>{"spec.nodeName"};
  make(std::move(spec));
  play(pod_list("7", wire_field(2, newer_pod("a", "3"))));
  play(frame_of("ADDED", wire_envelope("v1", "Pod", newer_pod("b", "8"))) +
       frame_of("BOOKMARK", wire_envelope("v1", "Pod",
                                          wire_field(1, wire_field(6, "9") + wire_field(999, "x")) +
                                              wire_field(2, wire_field(999, "")))));
  EXPECT_EQ(version_of("a"), "3");
  EXPECT_EQ(version_of("b"), "8");
  EXPECT_THAT(api_.formats, ElementsAre(kAskedProtobuf, kAskedProtobuf));
  EXPECT_EQ(counted_.fallbacks, 0);
}

TEST_F(WireFormatTest, ServerThatRefusesProtobufIsAskedForJson) {
  for (const int code : {406, 415}) {
    api_.formats.clear();
    counted_.fallbacks = 0;
    make();
    reply({.end = api_error(code, Code::kUnsupported, "NotAcceptable"), .lasts = Duration(0)});
    step();
    play(list_json("7", {{.name = "a", .version = "3"}}));
    EXPECT_TRUE(informer_->has_synced());
    EXPECT_THAT(api_.formats, ElementsAre(kAskedProtobuf, kAskedJson));
    EXPECT_EQ(counted_.fallbacks, 1);
  }
}

TEST_F(WireFormatTest, RefusalOfJsonIsAnErrorLikeAnyOther) {
  make(resource("acme.io", "v1", "things"));
  reply({.end = api_error(406, Code::kUnsupported, "NotAcceptable"), .lasts = Duration(0)});
  step();
  EXPECT_GT(wait(), Duration(0));
  EXPECT_EQ(counted_.fallbacks, 0);
}

TEST_F(WireFormatTest, ProtobufThatCannotBeReadLeadsBackToJson) {
  const std::string bodies[] = {
      wire_envelope("v1", "GadgetList", wire_field(2, "")),
      wire_envelope("v1", "PodList", std::string("\x07", 1)),
      "kaput",
  };
  for (const std::string& body : bodies) {
    api_.formats.clear();
    make();
    play(body);
    play(list_json("7", {{.name = "a", .version = "3"}}));
    EXPECT_TRUE(informer_->has_synced());
    EXPECT_THAT(api_.formats, ElementsAre(kAskedProtobuf, kAskedJson));
  }
}

TEST_F(WireFormatTest, ServerThatSendsUnreadableProtobufEvenWhenAskedForJsonIsNotAskedAtOnce) {
  make();
  for (int i = 0; i < 3; ++i) {
    play(pod_list("7", wire_field(2, newer_pod("a", "3"))));
    if (i > 0) {
      EXPECT_GT(wait(), Duration(0));
    }
  }
  expect_one_fallback();
}

TEST_F(WireFormatTest, BodyThatIsCutIsAskedForAgainInProtobuf) {
  make();
  const std::string list = protobuf(list_json("7", {{.name = "a", .version = "3"}}));
  reply({.body = list.substr(0, list.size() - 20)});
  step();
  EXPECT_GT(wait(), Duration(0));
  play(list);
  EXPECT_TRUE(informer_->has_synced());
  EXPECT_THAT(api_.formats, ElementsAre(kAskedProtobuf, kAskedProtobuf));
}

TEST_F(WireFormatTest, DamagedObjectIsSkippedAloneAndNamed) {
  make();
  const std::string good = wire_field(1, wire_field(1, "good") + wire_field(3, "default") +
                                             wire_field(5, "u") + wire_field(6, "3"));
  const std::string bad = wire_field(1, wire_field(1, "bad") + wire_field(3, "default")) +
                          wire_field(2, std::string("\x52\x7f", 2));
  play(pod_list("7", wire_field(2, good) + wire_field(2, bad) + wire_field(2, good)));
  EXPECT_TRUE(informer_->has_synced());
  EXPECT_EQ(informer_->store().size(), 1U);
  const std::vector<SkippedObject> skipped = informer_->store().skipped();
  ASSERT_EQ(skipped.size(), 1U);
  EXPECT_EQ(skipped[0].identity.name, "bad");
  EXPECT_EQ(skipped[0].identity.kind, "Pod");
  EXPECT_EQ(skipped[0].reason, SkipReason::kMalformed);
  play(frame_of("MODIFIED", wire_envelope("v1", "Pod", bad)) +
       frame_of("ADDED", wire_envelope("v1", "Pod", good)));
  EXPECT_EQ(counted_.fallbacks, 0);
}

TEST_F(WireFormatTest, ErrorEventInProtobufIsRead) {
  make();
  play(protobuf(list_json("7", {})));
  play(frame_of(error_json(410, "Expired")));
  (void)wait();
  play(protobuf(list_json("9", {{.name = "a", .version = "8"}})));
  EXPECT_THAT(api_.asked.back(), HasSubstr("list"));
  EXPECT_EQ(version_of("a"), "8");
}

TEST_F(WireFormatTest, CustomResourcesAndAHostSetToJsonAskForJson) {
  make(resource("acme.io", "v1", "things"));
  reply({});
  step();
  make(resource("apps", "v1beta1", "deployments"));
  reply({});
  step();
  ReflectorOptions json_only;
  json_only.format = WireFormat::kJson;
  make(resource("", "v1", "pods"), json_only);
  reply({});
  step();
  EXPECT_THAT(api_.formats, ElementsAre(kAskedJson, kAskedJson, kAskedJson));
}

TEST_F(WireFormatTest, MetadataOfCustomResourcesTravelsAsProtobuf) {
  InformerSpec spec = resource("acme.io", "v1", "things");
  spec.form = ObjectForm::kMetadata;
  make(std::move(spec));
  play(
      wire_envelope("meta.k8s.io/v1", "PartialObjectMetadataList",
                    wire_field(1, wire_field(2, "7")) +
                        wire_field(2, wire_field(1, wire_field(1, "a") + wire_field(3, "default") +
                                                        wire_field(5, "u") + wire_field(6, "3")))));
  EXPECT_EQ(version_of("a"), "3");
  EXPECT_THAT(held("a"), HasSubstr(R"("kind":"PartialObjectMetadata")"));
  EXPECT_THAT(api_.formats, ElementsAre(kAskedProtobuf));
}

TEST(AcceptTest, ProtobufStandsBeforeJson) {
  const Selection pods{.resource = {"", "v1", "pods"}, .label_selector = {}, .field_selector = {}};
  Selection metadata = pods;
  metadata.form = ObjectForm::kMetadata;
  ReflectorRequest list{.resource_version = {}, .continue_token = {}};
  ReflectorRequest watch = list;
  watch.kind = ReflectorRequest::Kind::kWatch;
  EXPECT_EQ(to_api_request(pods, list).accept, "application/json");
  EXPECT_EQ(to_api_request(metadata, list).accept,
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json");
  list.format = watch.format = WireFormat::kProtobuf;
  EXPECT_EQ(to_api_request(pods, watch).accept,
            "application/vnd.kubernetes.protobuf,application/json");
  EXPECT_EQ(to_api_request(metadata, watch).accept,
            "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
}

}  // namespace
}  // namespace davit::host
