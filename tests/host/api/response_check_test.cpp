#include "host/api/response_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/api/discovery.hpp"
#include "host/api/expected_kind.hpp"

namespace davit::host {
namespace {

using ::testing::HasSubstr;

constexpr char kConfigMap[] = R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"o",)"
                              R"("namespace":"ns","uid":"u","resourceVersion":"7"}})";
constexpr char kPartial[] = R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
                            R"("metadata":{"name":"o","namespace":"ns","uid":"u",)"
                            R"("resourceVersion":"7"}})";
constexpr char kSuccess[] = R"({"kind":"Status","apiVersion":"v1","metadata":{},)"
                            R"("status":"Success","details":{"name":"o","uid":"u"}})";
constexpr char kFailure[] = R"({"kind":"Status","apiVersion":"v1","status":"Failure",)"
                            R"("reason":"NotFound","code":404,"message":"not there"})";
constexpr char kList[] = R"({"kind":"ConfigMapList","apiVersion":"v1",)"
                         R"("metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"o",)"
                         R"("namespace":"ns","uid":"u"}}]})";

ApiRequest about(Verb verb, std::string resource = "configmaps", std::string subresource = "") {
  const bool has_name = verb != Verb::kList && verb != Verb::kDeleteCollection &&
                        (verb != Verb::kCreate || !subresource.empty());
  ApiRequest request;
  request.verb = verb;
  request.path = {"", "v1", std::move(resource), std::move(subresource), "ns", has_name ? "o" : ""};
  return request;
}

Status check(const ApiRequest& request, std::string_view body) {
  return check_response(request, R"({"metadata":{"name":"o"}})", body);
}

constexpr Verb kObjectVerbs[] = {Verb::kGet, Verb::kCreate, Verb::kUpdate, Verb::kPatch,
                                 Verb::kDelete};

TEST(ResponseCheckTest, WhatWasAskedForPassesWithEachVerb) {
  for (const Verb verb : kObjectVerbs) EXPECT_TRUE(check(about(verb), kConfigMap).ok());
  EXPECT_TRUE(check(about(Verb::kList), kList).ok());
  EXPECT_TRUE(check(about(Verb::kDeleteCollection), kList).ok());
  for (const Verb verb : {Verb::kDelete, Verb::kDeleteCollection}) {
    EXPECT_TRUE(check(about(verb), kSuccess).ok());
    EXPECT_TRUE(check(about(verb), "").ok()) << "client-go takes it for one that was accepted";
  }
}

struct BodyCase {
  const char* name;
  const char* body;
};
constexpr BodyCase kWrongObjects[] = {
    {"NotJson", "<html>"},
    {"Cut", R"({"kind":"ConfigMap")"},
    {"Array", "[]"},
    {"Empty", "{}"},
    {"Failure", kFailure},
    {"NoKind", R"({"apiVersion":"v1","metadata":{"name":"o","namespace":"ns","uid":"u",)"
               R"("resourceVersion":"7"}})"},
    {"NoMetadata", R"({"kind":"ConfigMap","apiVersion":"v1"})"},
    {"MetadataThatIsNoObject", R"({"kind":"ConfigMap","apiVersion":"v1","metadata":"o"})"},
    {"OtherKind", R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"o",)"
                  R"("namespace":"ns","uid":"u","resourceVersion":"7"}})"},
    {"OtherVersion", R"({"kind":"ConfigMap","apiVersion":"v2","metadata":{"name":"o",)"
                     R"("namespace":"ns","uid":"u","resourceVersion":"7"}})"},
    {"OtherName", R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"p",)"
                  R"("namespace":"ns","uid":"u","resourceVersion":"7"}})"},
    {"OtherNamespace", R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"o",)"
                       R"("namespace":"n2","uid":"u","resourceVersion":"7"}})"},
    {"NoUid", R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"o",)"
              R"("namespace":"ns","resourceVersion":"7"}})"},
    {"NoResourceVersion", R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"o",)"
                          R"("namespace":"ns","uid":"u"}})"},
    {"NumberAsName", R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":7,)"
                     R"("namespace":"ns","uid":"u","resourceVersion":"7"}})"},
    {"List", kList},
    {"Metadata", kPartial},
    {"Table", R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"rows":[]})"},
};

TEST(ResponseCheckTest, WrongObjectsAreUnavailableWithEachVerbAndNameTheRequest) {
  for (const BodyCase& each : kWrongObjects) {
    SCOPED_TRACE(each.name);
    for (const Verb verb : kObjectVerbs) {
      const Status status = check(about(verb), each.body);
      EXPECT_EQ(status.code(), Code::kUnavailable) << "verb " << static_cast<int>(verb);
      EXPECT_EQ(status.detail(), nullptr);
      EXPECT_THAT(status.message(), HasSubstr("configmaps"));
    }
  }
}

constexpr BodyCase kWrongLists[] = {
    {"Empty", "{}"},
    {"Object", kConfigMap},
    {"Failure", kFailure},
    {"OtherKind", R"({"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"9"},)"
                  R"("items":[]})"},
    {"OtherVersion",
     R"({"kind":"ConfigMapList","apiVersion":"v2","metadata":{"resourceVersion":"9"},"items":[]})"},
    {"NoItems", R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"}})"},
};

TEST(ResponseCheckTest, WrongListsAreUnavailable) {
  for (const BodyCase& each : kWrongLists) {
    for (const Verb verb : {Verb::kList, Verb::kDeleteCollection}) {
      EXPECT_EQ(check(about(verb), each.body).code(), Code::kUnavailable) << each.name;
    }
  }
  EXPECT_EQ(check(about(Verb::kList), kSuccess).code(), Code::kUnavailable);
  const auto with = [](const std::string& metadata, const std::string& items) {
    return check(about(Verb::kList), R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":)" +
                                         metadata + R"(,"items":)" + items + "}");
  };
  constexpr char kVersion[] = R"({"resourceVersion":"9"})";
  EXPECT_TRUE(with(kVersion, "null").ok()) << "Go writes an empty list so";
  EXPECT_TRUE(with(kVersion, "[ ]").ok());
  for (const char* items :
       {"{}", "7", "[{}]", "[7]", R"([{"metadata":{"name":"o","namespace":"ns"}}])",
        R"([{"metadata":{"name":"o","namespace":"n2","uid":"u"}}])",
        R"([{"kind":"Secret","apiVersion":"v1","metadata":{"name":"o","namespace":"ns",)"
        R"("uid":"u"}}])"}) {
    EXPECT_EQ(with(kVersion, items).code(), Code::kUnavailable) << items;
  }
  EXPECT_EQ(with("{}", "[]").code(), Code::kUnavailable);
  EXPECT_EQ(with("{}", "null").code(), Code::kUnavailable);
}

TEST(ResponseCheckTest, StatusOfSuccessIsNoObjectUnlessOneIsDeleted) {
  for (const Verb verb : {Verb::kGet, Verb::kCreate, Verb::kUpdate, Verb::kPatch}) {
    EXPECT_EQ(check(about(verb), kSuccess).code(), Code::kUnavailable);
  }
  EXPECT_EQ(check(about(Verb::kDelete), R"({"kind":"Status","apiVersion":"v1","status":"Success",)"
                                        R"("details":{"name":"p"}})")
                .code(),
            Code::kUnavailable)
      << "about another object";
}

TEST(ResponseCheckTest, DeletionOfOneUidIsNotThatOfAnother) {
  ApiRequest request = about(Verb::kDelete);
  request.delete_options.uid = "u2";
  EXPECT_EQ(check(request, kConfigMap).code(), Code::kUnavailable);
}

TEST(ResponseCheckTest, MetadataPassesWhereItIsAskedFor) {
  ApiRequest request = about(Verb::kGet);
  request.accept = kAcceptMetadata;
  EXPECT_TRUE(check(request, kPartial).ok());
  EXPECT_TRUE(check(request, kConfigMap).ok()) << "a server may not have the form";
  request.path.resource = "secrets";
  EXPECT_EQ(check(request, kConfigMap).code(), Code::kUnavailable);
  ApiRequest list = about(Verb::kList);
  list.accept = kAcceptMetadataList;
  EXPECT_TRUE(check(list, R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1",)"
                          R"("metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"o",)"
                          R"("namespace":"ns","uid":"u"}}]})")
                  .ok());
}

TEST(ResponseCheckTest, DryRunHasNoVersionAndGeneratedNamesMayBeAny) {
  ApiRequest request = about(Verb::kCreate);
  EXPECT_TRUE(check_response(request, R"({"metadata":{"generateName":"x-"}})", kConfigMap).ok());
  constexpr char kNoVersion[] = R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"o",)"
                                R"("namespace":"ns","uid":"u"}})";
  EXPECT_EQ(check(request, kNoVersion).code(), Code::kUnavailable);
  request.dry_run = DryRun::kServer;
  EXPECT_TRUE(check(request, kNoVersion).ok());
}

struct SubresourceCase {
  Verb verb;
  const char* resource;
  const char* subresource;
  const char* body;
  bool passes;
};
constexpr char kScale[] = R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{)"
                          R"("name":"o","namespace":"ns","uid":"u","resourceVersion":"7"}})";
constexpr char kToken[] = R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1",)"
                          R"("status":{"token":"t"}})";
constexpr SubresourceCase kSubresourceCases[] = {
    {Verb::kPatch, "configmaps", "status", kConfigMap, true},
    {Verb::kPatch, "configmaps", "status", kScale, false},
    {Verb::kGet, "replicationcontrollers", "scale", kScale, true},
    {Verb::kGet, "replicationcontrollers", "scale", kConfigMap, false},
    {Verb::kCreate, "serviceaccounts", "token", kToken, true},
    {Verb::kCreate, "serviceaccounts", "token", "{}", false},
    {Verb::kCreate, "serviceaccounts", "token", kSuccess, false},
    {Verb::kCreate, "pods", "eviction", kSuccess, true},
    {Verb::kCreate, "pods", "eviction", kFailure, false},
    {Verb::kCreate, "pods", "eviction", kConfigMap, false},
    {Verb::kCreate, "pods", "eviction", "{}", false},
    {Verb::kCreate, "pods", "binding", kSuccess, true},
};

TEST(ResponseCheckTest, SubresourcesHaveKindsOfTheirOwn) {
  for (const SubresourceCase& each : kSubresourceCases) {
    const Status status = check(about(each.verb, each.resource, each.subresource), each.body);
    EXPECT_EQ(status.ok(), each.passes) << each.subresource << ": " << status.message();
  }
}

TEST(ResponseCheckTest, QuestionsToTheServerHaveNeitherNameNorVersion) {
  ApiRequest request;
  request.verb = Verb::kCreate;
  request.path = {"authorization.k8s.io", "v1", "subjectaccessreviews", "", "", ""};
  EXPECT_TRUE(
      check_response(request, R"({"spec":{}})",
                     R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1",)"
                     R"("metadata":{},"status":{"allowed":true}})")
          .ok());
  EXPECT_EQ(check_response(request, R"({"spec":{}})", R"({"status":{"allowed":true}})").code(),
            Code::kUnavailable);
}

// ---- Groups that are not built in ---------------------------------------------------------------

ApiRequest widget(Verb verb, std::vector<std::string> verbs = {"get", "list", "watch"}) {
  ApiCatalog catalog;
  ResourceInfo widgets;
  widgets.resource = "widgets";
  widgets.kind = "Widget";
  widgets.verbs = std::move(verbs);
  ResourceInfo gadgets = widgets;
  gadgets.resource = "gadgets";
  gadgets.kind = "Gadget";
  catalog.groups = {{"acme.io", {{"v1", {}, {widgets, gadgets}}}}};
  ApiRequest request = about(verb, "widgets");
  request.path.group = "acme.io";
  request.catalog = std::make_shared<const ApiCatalog>(std::move(catalog));
  return request;
}

std::string custom(std::string_view kind, std::string_view more = R"(,"uid":"u",)"
                                                                  R"("resourceVersion":"7")") {
  return R"({"apiVersion":"acme.io/v1","kind":")" + std::string(kind) +
         R"(","metadata":{"name":"o","namespace":"ns")" + std::string(more) + "}}";
}

TEST(ResponseCheckTest, KindOfACustomResourceIsThatOfDiscovery) {
  EXPECT_TRUE(check(widget(Verb::kGet), custom("Widget")).ok());
  EXPECT_EQ(check(widget(Verb::kGet), custom("Gadget")).code(), Code::kUnavailable);
  EXPECT_EQ(check(widget(Verb::kGet), custom("Widget", "")).code(), Code::kUnavailable);
  ApiRequest unknown = widget(Verb::kGet);
  unknown.catalog = nullptr;
  EXPECT_TRUE(check(unknown, custom("Gadget")).ok()) << "nothing is known of it";
  EXPECT_EQ(check(unknown, kConfigMap).code(), Code::kUnavailable) << "but its group";
}

TEST(ResponseCheckTest, ListOfACustomResourceHasAnyNameButAnotherKinds) {
  const auto list = [](std::string_view kind) {
    return check(widget(Verb::kList), R"({"apiVersion":"acme.io/v1","kind":")" + std::string(kind) +
                                          R"(","metadata":{"resourceVersion":"9"},"items":[]})");
  };
  EXPECT_TRUE(list("WidgetList").ok());
  EXPECT_TRUE(list("AllWidgets").ok());
  EXPECT_EQ(list("GadgetList").code(), Code::kUnavailable);
  EXPECT_EQ(list("Status").code(), Code::kUnavailable);
}

// PodMetrics of metrics.k8s.io, for example.
TEST(ResponseCheckTest, WhatAnAggregatedServerComputesNeedsNoUid) {
  EXPECT_TRUE(check(widget(Verb::kGet, {"get", "list"}), custom("Widget", "")).ok());
  EXPECT_TRUE(check(widget(Verb::kList, {"get", "list"}),
                    R"({"apiVersion":"acme.io/v1","kind":"WidgetList","metadata":{},"items":[)" +
                        custom("Widget", "") + "]}")
                  .ok());
}

TEST(ResponseCheckTest, MetricOfANamespaceIsAListWithoutAName) {
  ApiRequest request;
  request.path = {"custom.metrics.k8s.io", "v1beta2", "metrics", "", "ns", "hits"};
  EXPECT_TRUE(check(request, R"({"kind":"MetricValueList","apiVersion":"custom.metrics.k8s.io/)"
                             R"(v1beta2","metadata":{},"items":[]})")
                  .ok());
  EXPECT_FALSE(check(request, kSuccess).ok());
  request.path.group = "example.com";
  EXPECT_FALSE(check(request, R"({"kind":"MetricValueList","apiVersion":"example.com/v1beta2",)"
                              R"("metadata":{},"items":[]})")
                   .ok());
}

TEST(ExpectedKindTest, BuiltInResourcesArePluralsOfTheirKinds) {
  const std::pair<const char*, const char*> kinds[] = {
      {"pods", "Pod"},
      {"endpoints", "Endpoints"},
      {"ingresses", "Ingress"},
      {"networkpolicies", "NetworkPolicy"},
      {"storageclasses", "StorageClass"},
      {"csistoragecapacities", "CSIStorageCapacity"},
      {"ipaddresses", "IPAddress"},
      {"limitranges", "LimitRange"},
  };
  for (const auto& [resource, kind] : kinds) {
    const ExpectedKind expected({"", "v1", resource}, ExpectedKind::Form::kWhole, nullptr);
    EXPECT_TRUE(expected.is_object("v1", kind)) << kind;
    EXPECT_TRUE(expected.is_list("v1", std::string(kind) + "List")) << kind;
    EXPECT_FALSE(expected.is_object("v1", "Node")) << kind;
    EXPECT_FALSE(expected.is_list("v1", kind)) << kind;
  }
}

}  // namespace
}  // namespace davit::host
