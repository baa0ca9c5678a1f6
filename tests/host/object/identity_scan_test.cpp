#include "host/object/identity_scan.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace davit::host {
namespace {

ObjectIdentity scan(std::string_view text, IdentityScan::Root root, std::size_t cut) {
  IdentityScan scan(root);
  scan.feed(text.substr(0, cut));
  scan.feed(text.substr(cut));
  return scan.identity();
}

constexpr std::string_view kPod =
    R"({"kind":"Pod","apiVersion":"v1","spec":{"metadata":{"name":"inner"},"name":"no",)"
    R"("args":["metadata","{\"name\":\"no\"}\\",[{"metadata":{"uid":"no"}}]]},)"
    R"("metadata":{"labels":{"name":"no","uid":"no"},"name":"a\u003cb","namespace":"ns",)"
    R"("ownerReferences":[{"uid":"other"},{"uid":"own\"er","controller":true,"x":["}"]}],)"
    R"("uid" : "u-1" , "resourceVersion":"42","x":{"name":"no"}},"status":{"uid":"no"}})";
const ObjectIdentity kPodIdentity{.api_version = "v1",
                                  .kind = "Pod",
                                  .ns = "ns",
                                  .name = "a<b",
                                  .uid = "u-1",
                                  .resource_version = "42",
                                  .controller_uid = "own\"er"};

TEST(IdentityScanTest, EveryCutGivesTheSame) {
  const std::string event = R"({"object":)" + std::string(kPod) + R"(,"type":"ADDED"})";
  for (std::size_t cut = 0; cut <= kPod.size(); ++cut) {
    EXPECT_EQ(scan(kPod, IdentityScan::Root::kObject, cut), kPodIdentity) << cut;
  }
  for (std::size_t cut = 0; cut <= event.size(); ++cut) {
    EXPECT_EQ(scan(event, IdentityScan::Root::kWatchEvent, cut), kPodIdentity) << cut;
  }
}

TEST(IdentityScanTest, WatchEventHasItsTypeWhereverItStands) {
  for (const std::string_view text :
       {R"({"type":"DELETED","object":{"type":"no"}})", R"({"object":{},"type":"DELETED"})"}) {
    IdentityScan scan(IdentityScan::Root::kWatchEvent);
    scan.feed(text);
    EXPECT_EQ(scan.type_json(), "\"DELETED\"") << text;
  }
}

TEST(IdentityScanTest, WhatIsNotReadableIsEmptyAndTheRestIsRead) {
  const std::pair<std::string, ObjectIdentity> cases[] = {
      {"", {}},
      {"[]]}}", {}},
      {R"({"metadata":[{"name":"no"}]})", {}},
      {R"([{"metadata":{"name":"no"}}])", {}},
      {R"({"metadata":{"name":7,"namespace":"n"}})", {.ns = "n"}},
      {R"({"metadata":{"name":{"name":"no"},"uid":null,"namespace":"n"}})", {.ns = "n"}},
      {"{\"metadata\":{\"name\":\"\xff\",\"namespace\":\"n\"}}", {.ns = "n"}},
      {R"({"metadata":{"name":"a","namespace":"n)", {.name = "a"}},
      {R"({"metadata":{"name":"a","name":"b"}})", {.name = "b"}},
      {R"({"metadata":{"ownerReferences":"no","name":"b"}})", {.name = "b"}},
      {R"({"metadata":{"name":")" + std::string(100'000, 'x') + R"(","uid":"u"}})", {.uid = "u"}},
      {R"({"deep":)" + std::string(100'000, '[') + std::string(100'000, ']') +
           R"(,"metadata":{"name":"a"}})",
       {.name = "a"}},
      {"{\"spec\":\"\xc3\x28\xff\",\"metadata\":{\"name\":\"a\"}}", {.name = "a"}},
  };
  for (const auto& [text, wanted] : cases) {
    EXPECT_EQ(read_identity(text), wanted) << text.substr(0, 80);
  }
}

}  // namespace
}  // namespace davit::host
