#include "host/api/request_builder.hpp"

#include <gtest/gtest.h>

namespace davit::host {
namespace {

ApiRequest request(Verb verb, ResourcePath path) {
  ApiRequest out;
  out.verb = verb;
  out.path = std::move(path);
  return out;
}

std::string target(const ApiRequest& request) {
  const Result<HttpRequest> built = build_request(request, "davit");
  return built ? built->target : built.error().message();
}

std::string_view content_type(const HttpRequest& http) {
  for (const auto& [name, value] : http.headers) {
    if (name == "Content-Type") return value;
  }
  return "";
}

struct TargetCase {
  const char* name;
  Verb verb;
  ResourcePath path;
  const char* query;
  const char* expected;
};

class TargetTest : public testing::TestWithParam<TargetCase> {};

const TargetCase kTargets[] = {
    {"CoreList",
     Verb::kList,
     {"", "v1", "pods", "", "", ""},
     "limit=500",
     "/api/v1/pods?limit=500"},
    {"GroupGet",
     Verb::kGet,
     {"apps", "v1", "replicasets", "", "ns", "web"},
     "",
     "/apis/apps/v1/namespaces/ns/replicasets/web"},
    {"Subresource",
     Verb::kUpdate,
     {"apps", "v1", "deployments", "status", "ns", "web"},
     "",
     "/apis/apps/v1/namespaces/ns/deployments/web/status?dryRun=All"},
    {"WatchAddsItsMark",
     Verb::kWatch,
     {"", "v1", "pods", "", "", ""},
     "resourceVersion=5",
     "/api/v1/pods?resourceVersion=5&watch=true"},
    {"TextThatEndsAQueryIsEncoded",
     Verb::kCreate,
     {"", "v1", "pods", "", "ns", ""},
     "fieldManager=a#b&fieldValidation=x y",
     "/api/v1/namespaces/ns/pods?fieldManager=a%23b&fieldValidation=x%20y&dryRun=All"},
    {"EncodedTextStaysWhatItIs",
     Verb::kList,
     {"", "v1", "pods", "", "", ""},
     "&labelSelector=app%3Dweb%26watch%3Dtrue&&x",
     "/api/v1/pods?labelSelector=app%3Dweb%26watch%3Dtrue&x="},
    {"NamesAreEscaped",
     Verb::kGet,
     {"rbac", "v1", "clusterroles", "", "", "system:a b?"},
     "",
     "/apis/rbac/v1/clusterroles/system:a%20b%3F"},
    {"ResourceIsLowerCase", Verb::kList, {"", "v1", "Pods", "", "", ""}, "", "/api/v1/pods"},
};

TEST_P(TargetTest, IsThePathOfTheResource) {
  ApiRequest r = request(GetParam().verb, GetParam().path);
  r.query = GetParam().query;
  r.dry_run = DryRun::kServer;
  EXPECT_EQ(target(r), GetParam().expected);
}
INSTANTIATE_TEST_SUITE_P(RequestBuilderTest, TargetTest, testing::ValuesIn(kTargets),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(RequestBuilderTest, NamesThatAUrlCannotCarryAreRefusedRT014) {
  for (const char* name : {"a/b", "..", ".", "a%2fb"}) {
    const Result<HttpRequest> built =
        build_request(request(Verb::kGet, {"", "v1", "pods", "", "ns", name}), "davit");
    EXPECT_EQ(built.error().code(), Code::kMisuse) << name;
    const Result<HttpRequest> in_namespace =
        build_request(request(Verb::kList, {"", "v1", "pods", "", name, ""}), "davit");
    EXPECT_EQ(in_namespace.error().code(), Code::kMisuse) << name;
  }
}

TEST(RequestBuilderTest, ParametersOfTheHostCannotBeSetByACaller) {
  ApiRequest r = request(Verb::kCreate, {"", "v1", "pods", "", "ns", ""});
  for (const char* query : {"dryRun=None", "%64ryRun=", "a=b&watch=true", "watch", "timeout=1s"}) {
    r.query = query;
    EXPECT_EQ(check_request(r).code(), Code::kMisuse) << query;
    EXPECT_EQ(build_request(r, "davit").error().code(), Code::kMisuse) << query;
  }
  for (const char* query : {"a=%", "a=%4", "%zz=1"}) {
    r.query = query;
    EXPECT_EQ(check_request(r).code(), Code::kMisuse) << query;
  }
}

struct PathCase {
  const char* why;
  ResourcePath path;
};

TEST(RequestBuilderTest, PathThatTheServerTakesForAnotherResourceIsRefused) {
  const PathCase kCases[] = {
      {"the Secrets of a namespace", {"", "v1", "namespaces", "secrets", "", "ns"}},
      {"one of them", {"", "v1", "namespaces", "secrets/x", "", "ns"}},
      {"two segments", {"", "v1", "pods", "proxy/../x", "ns", "web"}},
      {"an old verb", {"", "v1", "watch", "", "", "secrets"}},
      {"an old verb in another case", {"", "v1", "Watch", "", "", "secrets"}},
      {"the status of a namespace", {"", "v1", "status", "", "ns", "x"}},
      {"a query in the resource", {"", "v1", "pods?x", "", "ns", "web"}},
      {"a line feed in the name", {"", "v1", "pods", "", "ns", "a\r\nX: y"}},
      {"a query in the subresource", {"", "v1", "pods", "log?x", "ns", "web"}}};
  for (const PathCase& each : kCases) {
    EXPECT_EQ(check_request(request(Verb::kGet, each.path)).code(), Code::kMisuse) << each.why;
  }
  const ResourcePath finalize = {"", "v1", "namespaces", "finalize", "", "ns"};
  EXPECT_TRUE(check_request(request(Verb::kUpdate, finalize)).ok());
}

TEST(RequestBuilderTest, TextThatWouldBeginAHeaderIsNotSent) {
  const ApiRequest r = request(Verb::kGet, {"", "v1", "pods", "", "ns", "web"});
  EXPECT_EQ(build_request(r, "davit\r\nImpersonate-User: admin").error().code(), Code::kMisuse);
  ApiRequest raw;
  raw.raw_path = "/apis/x y";
  EXPECT_EQ(check_request(raw).code(), Code::kMisuse);
}

TEST(RequestBuilderTest, QueryOfEightMegabytesIsAnError) {
  ApiRequest r = request(Verb::kList, {"", "v1", "pods", "", "ns", ""});
  r.query = "labelSelector=" + std::string(std::size_t{8} << 20, 'a');
  const Result<HttpRequest> built = build_request(r, "davit");
  EXPECT_EQ(built.error().code(), Code::kMisuse);
}

TEST(RequestBuilderTest, UpdateWithoutANameIsRefused) {
  EXPECT_EQ(target(request(Verb::kUpdate, {"", "v1", "pods", "", "ns", ""})),
            "resource name may not be empty");
}

TEST(RequestBuilderTest, PatchKindIsTheContentType) {
  ApiRequest r = request(Verb::kPatch, {"", "v1", "pods", "", "ns", "web"});
  r.body = "{}";
  const std::pair<PatchType, std::string_view> kinds[] = {
      {PatchType::kJson, "application/json-patch+json"},
      {PatchType::kMerge, "application/merge-patch+json"},
      {PatchType::kStrategic, "application/strategic-merge-patch+json"},
      {PatchType::kApply, "application/apply-patch+yaml"}};
  for (const auto& [type, expected] : kinds) {
    r.patch_type = type;
    const Result<HttpRequest> built = build_request(r, "davit");
    ASSERT_TRUE(built);
    EXPECT_EQ(content_type(*built), expected);
  }
}

TEST(RequestBuilderTest, DeleteCarriesItsOptionsInTheBody) {
  ApiRequest r = request(Verb::kDelete, {"", "v1", "pods", "", "ns", "web"});
  r.delete_options = {Propagation::kBackground, 30, "u-1", "7"};
  r.dry_run = DryRun::kServer;
  const Result<HttpRequest> built = build_request(r, "davit");
  ASSERT_TRUE(built);
  EXPECT_EQ(built->body, R"({"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":30,)"
                         R"("preconditions":{"uid":"u-1","resourceVersion":"7"},)"
                         R"("propagationPolicy":"Background","dryRun":["All"]})");
  EXPECT_EQ(built->target, "/api/v1/namespaces/ns/pods/web");
}

TEST(RequestBuilderTest, DryRunOfAWriteIsAQueryParameterAndOfAReadNothing) {
  ApiRequest r = request(Verb::kCreate, {"", "v1", "pods", "", "ns", ""});
  r.dry_run = DryRun::kServer;
  EXPECT_EQ(target(r), "/api/v1/namespaces/ns/pods?dryRun=All");
  r.verb = Verb::kList;
  EXPECT_EQ(target(r), "/api/v1/namespaces/ns/pods");
}

TEST(RequestBuilderTest, TimeLimitIsSentToTheServer) {
  ApiRequest r = request(Verb::kGet, {"", "v1", "pods", "", "ns", "web"});
  r.timeout = std::chrono::seconds(432);
  EXPECT_EQ(target(r), "/api/v1/namespaces/ns/pods/web?timeout=7m12s");
}

TEST(RequestBuilderTest, DurationsReadAsInGo) {
  EXPECT_EQ(go_duration(std::chrono::seconds(10)), "10s");
  EXPECT_EQ(go_duration(std::chrono::milliseconds(1500)), "1.5s");
  EXPECT_EQ(go_duration(std::chrono::hours(1)), "1h0m0s");
  EXPECT_EQ(go_duration(std::chrono::milliseconds(5)), "0.005s");
}

}  // namespace
}  // namespace davit::host
