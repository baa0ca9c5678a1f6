#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>

#include "lib/kube/schema/schema.hpp"

namespace davit {
namespace {

using protozero::pbf_writer;

/// The bytes of a message that `fill` writes.
template <typename Fill>
std::string message(Fill fill) {
  std::string out;
  pbf_writer writer(out);
  fill(writer);
  return out;
}

std::string enveloped(std::string_view api_version, std::string_view kind, std::string_view raw) {
  return std::string("k8s\0", 4) + message([&](pbf_writer& unknown) {
           unknown.add_message(1, message([&](pbf_writer& type) {
                                 type.add_string(1, std::string(api_version));
                                 type.add_string(2, std::string(kind));
                               }));
           unknown.add_message(2, std::string(raw));
           unknown.add_string(3, "");
           unknown.add_string(4, "");
         });
}

std::string map_entry(const std::string& key, const std::string& value) {
  return message([&](pbf_writer& entry) {
    entry.add_string(1, key);
    entry.add_string(2, value);
  });
}

/// A Pod with every kind of field.
std::string pod() {
  return message([](pbf_writer& object) {
    object.add_message(1, message([](pbf_writer& metadata) {
                         metadata.add_string(1, "p");
                         metadata.add_message(8, std::string());  // creationTimestamp: unset
                         metadata.add_message(9, message([](pbf_writer& time) {
                                                time.add_int64(1, 1'767'225'600);
                                                time.add_int32(2, 5);
                                              }));
                         metadata.add_int64(10, 0);
                         metadata.add_message(11, map_entry("b", "2"));
                         metadata.add_message(11, map_entry("a", "0"));
                         metadata.add_message(11, map_entry("a", "1"));
                       }));
    object.add_message(
        2, message([](pbf_writer& spec) {
          spec.add_message(1, message([](pbf_writer& volume) {
                             volume.add_string(1, "v");
                             volume.add_message(2, message([](pbf_writer& source) {
                                                  source.add_message(2, std::string());  // emptyDir
                                                }));
                           }));
          spec.add_message(
              2, message([](pbf_writer& container) {
                container.add_string(1, "c");
                container.add_string(3, "sh");
                container.add_string(3, "-c");
                container.add_message(8, message([](pbf_writer& resources) {
                                        resources.add_message(
                                            1, map_entry("cpu", message([](pbf_writer& quantity) {
                                                           quantity.add_string(1, "1000m");
                                                         })));
                                      }));
                container.add_message(
                    10, message([](pbf_writer& probe) {
                      probe.add_message(1, message([](pbf_writer& handler) {
                                          handler.add_message(
                                              2, message([](pbf_writer& get) {
                                                get.add_message(2, message([](pbf_writer& port) {
                                                                  port.add_int64(1, 1);
                                                                  port.add_int32(2, 0);
                                                                  port.add_string(3, "http");
                                                                }));
                                              }));
                                        }));
                    }));
              }));
          spec.add_int64(4, 0);
          spec.add_bool(11, false);
          const std::vector<std::int64_t> groups{1, -2};
          spec.add_message(14, message([&](pbf_writer& security) {
                             security.add_packed_int64(4, groups.begin(), groups.end());
                           }));
        }));
    object.add_message(3, message([](pbf_writer& status) { status.add_string(999, "later"); }));
  });
}

TEST(ProtobufTest, AllKindsOfFieldsAreDecoded) {
  const Result<Json> object = decode_protobuf(enveloped("v1", "Pod", pod()), "Pod");

  ASSERT_TRUE(object.has_value()) << object.error().message();
  EXPECT_EQ(to_text(*object),
            R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","creationTimestamp":null,)"
            R"("deletionTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":0,)"
            R"("labels":{"a":"1","b":"2"}},"spec":{"volumes":[{"name":"v","emptyDir":{}}],)"
            R"("containers":[{"name":"c","command":["sh","-c"],"resources":{"limits":)"
            R"({"cpu":"1000m"}},"livenessProbe":{"httpGet":{"port":"http"}}}],)"
            R"("terminationGracePeriodSeconds":0,"hostNetwork":false,)"
            R"("securityContext":{"supplementalGroups":[1,-2]}},"status":{}})");
}

TEST(ProtobufTest, DecodedObjectsConform) {
  Json object = *decode_protobuf(enveloped("v1", "Pod", pod()), "Pod");
  FieldFindings findings;

  ASSERT_TRUE(conform(*find_schema("v1", "Pod"), object, findings).ok());

  EXPECT_TRUE(findings.unknown.empty());
  EXPECT_EQ(object.at({"metadata", "creationTimestamp"}), nullptr);
  EXPECT_EQ(
      object.at({"spec"})->get("containers").items()[0].text_at({"resources", "limits", "cpu"}),
      "1");
  EXPECT_EQ(object.at({"spec", "hostNetwork"}), nullptr);
}

TEST(ProtobufTest, NegativeIntegersKeepTheirSign) {
  const std::string scale = message([](pbf_writer& object) {
    object.add_message(2, message([](pbf_writer& spec) { spec.add_int32(1, -1); }));
  });
  EXPECT_EQ(decode_protobuf(enveloped("autoscaling/v1", "Scale", scale), "Scale")
                ->at({"spec", "replicas"})
                ->integer(),
            -1);
}

TEST(ProtobufTest, BytesAndRawJsonAndStringListsAreDecoded) {
  const std::string secret = message(
      [](pbf_writer& object) { object.add_message(2, map_entry("k", std::string("\0\xff", 2))); });
  EXPECT_EQ(decode_protobuf(enveloped("v1", "Secret", secret), "Secret")->text_at({"data", "k"}),
            "AP8=");
  const std::string revision = message([](pbf_writer& object) {
    object.add_message(2, message([](pbf_writer& raw) { raw.add_string(1, R"({"a":1})"); }));
  });
  EXPECT_EQ(
      to_text(
          decode_protobuf(enveloped("apps/v1", "ControllerRevision", revision), "")->get("data")),
      R"({"a":1})");
  const std::string user = message([](pbf_writer& info) {
    info.add_message(4, map_entry("k", message([](pbf_writer& extra) {
                                    extra.add_string(1, "x");
                                    extra.add_string(1, "y");
                                  })));
  });
  const std::string review = message([&](pbf_writer& object) {
    object.add_message(3, message([&](pbf_writer& status) { status.add_message(2, user); }));
  });
  EXPECT_EQ(
      to_text(*decode_protobuf(enveloped("authentication.k8s.io/v1", "TokenReview", review), "")
                   ->at({"status", "user", "extra"})),
      R"({"k":["x","y"]})");
}

TEST(ProtobufTest, OptionsAreKindsOfEveryGroup) {
  const std::string options = message([](pbf_writer& object) { object.add_string(4, "Orphan"); });
  EXPECT_EQ(decode_protobuf(enveloped("apps/v1", "DeleteOptions", options), "DeleteOptions")
                ->text_at({"propagationPolicy"}),
            "Orphan");
}

TEST(ProtobufTest, OtherBodiesAreRefused) {
  EXPECT_EQ(decode_protobuf("{}", "ConfigMap").error().message(),
            "the object provided is unrecognized (must be of type ConfigMap): provided data does "
            "not appear to be a protobuf message, expected prefix [107 56 115 0]");
  EXPECT_EQ(decode_protobuf(enveloped("v7", "Pod", ""), "Pod").error().code(), Code::kUnsupported);
  EXPECT_EQ(
      decode_protobuf(enveloped("apps/v1", "ControllerRevision", message([](pbf_writer& object) {
                                  object.add_message(2, std::string("\x0a\x01{", 3));
                                })),
                      "ControllerRevision")
          .error()
          .code(),
      Code::kInvalid);
}

TEST(ProtobufTest, EveryCutOfABodyIsReadOrRefused) {
  const std::string body = enveloped("v1", "Pod", pod());
  for (std::size_t size = 0; size < body.size(); ++size) {
    const Result<Json> object = decode_protobuf(body.substr(0, size), "Pod");
    EXPECT_TRUE(!object || object->is_object());
  }
}

TEST(ProtobufTest, EveryByteOfABodyMayBeWrong) {
  const std::string body = enveloped("v1", "Pod", pod());
  for (std::size_t at = 0; at < body.size(); ++at) {
    for (const unsigned char value : {0x00, 0x01, 0x07, 0x0f, 0x7f, 0x80, 0xff}) {
      std::string damaged = body;
      damaged[at] = static_cast<char>(value);
      const Result<Json> object = decode_protobuf(damaged, "Pod");
      EXPECT_TRUE(!object || object->is_object());
    }
  }
}

TEST(ProtobufTest, LargeMapsTakeNoSquareTime) {
  constexpr int kEntries = 20'000;
  const std::string labels = message([](pbf_writer& metadata) {
    for (int i = 0; i < kEntries; ++i) metadata.add_message(11, map_entry(std::to_string(i), ""));
  });
  const std::string body = message([&](pbf_writer& object) { object.add_message(1, labels); });
  EXPECT_EQ(
      decode_protobuf(enveloped("v1", "ConfigMap", body), "")->at({"metadata", "labels"})->size(),
      static_cast<std::size_t>(kEntries));
}

TEST(ProtobufTest, WhatIsWrittenReadsBackWithEveryKindOfField) {
  for (const char* text : {
           R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","creationTimestamp":
             "2026-01-02T03:04:05Z","labels":{"b":"1","a":""},"generation":0},"spec":{"containers":[
             {"name":"c","resources":{"limits":{"cpu":"100m"}},"ports":[{"containerPort":80}],
             "livenessProbe":{"httpGet":{"port":"web"}},"stdin":true},{"name":"d",
             "livenessProbe":{"tcpSocket":{"port":-1}}}],"volumes":[{"name":"v","emptyDir":{}}],
             "securityContext":{},"terminationGracePeriodSeconds":0}})",
           R"({"kind":"Secret","apiVersion":"v1","metadata":{},"data":{"b":"AAEC","e":""},
             "immutable":false})",
           R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{},
             "spec":{"renewTime":"2026-01-02T03:04:05.000006Z"}})",
           R"({"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{},
             "data":{"any":[1,{"x":null}]},"revision":7})",
           R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{},
             "spec":{"extra":{"k":["v","w"]}}})",
           R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1",
             "metadata":{},"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{
             "type":"object","properties":{"n":{"type":"number","minimum":0.5,"default":1},
             "l":{"type":"array","items":{"type":"string"}},"any":{"additionalProperties":true},
             "no":{"additionalProperties":false},"of":{"additionalProperties":{"type":"string"}},
             "d":{"dependencies":{"a":["b","c"],"e":{"type":"string"}}},
             "i":{"items":[{"type":"string"},{"type":"integer"}]},
             "e":{"enum":["a",1,null]}}}}}]}})"}) {
    const Json object = json_literal(text);
    const std::optional<std::string> bytes = encode_protobuf(object);
    ASSERT_TRUE(bytes.has_value()) << text;
    const Result<Json> read = decode_protobuf(*bytes, "object");
    ASSERT_TRUE(read.has_value()) << read.error().message();
    EXPECT_EQ(to_canonical_text(*read), to_canonical_text(object));
  }
}

TEST(ProtobufTest, UnknownKindsHaveNoProtobuf) {
  EXPECT_EQ(encode_protobuf(json_literal(R"({"kind":"Widget","apiVersion":"ex.io/v1"})")),
            std::nullopt);
  EXPECT_EQ(encode_protobuf(json_literal(R"({"kind":"WidgetList","apiVersion":"ex.io/v1"})")),
            std::nullopt);
}

TEST(ProtobufTest, FramesAreTakenWhole) {
  const Json object =
      json_literal(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}})");
  const std::string frame = encode_protobuf_event("ADDED", object).value_or("");
  for (std::size_t size = 0; size < frame.size(); ++size) {
    EXPECT_FALSE(decode_protobuf_event(frame.substr(0, size)).has_value());
  }
  const std::optional<ProtobufEvent> event = decode_protobuf_event(frame + "more");
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->bytes, frame.size());
  EXPECT_EQ(event->type, "ADDED");
  EXPECT_EQ(event->object.text_at({"metadata", "name"}), "a");
}

}  // namespace
}  // namespace davit
