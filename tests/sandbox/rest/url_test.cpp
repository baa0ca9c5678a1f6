#include "sandbox/rest/url.hpp"

#include <gtest/gtest.h>

namespace davit::sandbox {
namespace {

struct UrlCase {
  const char* method;
  const char* target;
  const char* wanted;  // verb group/version ns resource name subresource; "-" for empty.
};

constexpr UrlCase kUrlCases[] = {
    {"GET", "/api/v1/pods", "list /v1 - pods - -"},
    {"GET", "/api/v1/pods/", "list /v1 - pods - -"},
    {"GET", "/api/v1/pods?watch=1", "watch /v1 - pods - -"},
    {"GET", "/api/v1/pods?watch", "watch /v1 - pods - -"},
    {"GET", "/api/v1/pods?watch=False", "list /v1 - pods - -"},
    {"GET", "/api/v1/watch/pods", "watch /v1 - pods - -"},
    {"GET", "/api/v1/namespaces/a/pods", "list /v1 a pods - -"},
    {"GET", "/api/v1/namespaces/a/pods/p?watch=1", "get /v1 a pods p -"},
    {"GET", "/api/v1/watch/namespaces/a/pods/p", "watch /v1 a pods p -"},
    {"GET", "/api/v1/namespaces/a/pods/p/log", "get /v1 a pods p log"},
    {"GET", "/api/v1/namespaces", "list /v1 - namespaces - -"},
    {"GET", "/api/v1/namespaces/a", "get /v1 a namespaces a -"},
    {"PUT", "/api/v1/namespaces/a/finalize", "update /v1 a namespaces a finalize"},
    {"PATCH", "/api/v1/namespaces/a/status", "patch /v1 a namespaces a status"},
    {"POST", "/apis/apps/v1/namespaces/a/deployments", "create apps/v1 a deployments - -"},
    {"DELETE", "/apis/apps/v1/namespaces/a/deployments",
     "deletecollection apps/v1 a deployments - -"},
    {"DELETE", "/api/v1/nodes/n%31", "delete /v1 - nodes n1 -"},
};

std::string dash(const std::string& text) { return text.empty() ? "-" : text; }

TEST(UrlTest, PathsNameVerbsAndResources) {
  for (const UrlCase& each : kUrlCases) {
    const ApiResult<Url> url = parse_url(each.target);
    ASSERT_TRUE(url) << each.target;
    const std::string text = std::string(to_text(verb_of(each.method, *url))) + ' ' + url->group +
                             '/' + url->version + ' ' + dash(url->ns) + ' ' + dash(url->resource) +
                             ' ' + dash(url->name) + ' ' + dash(url->subresource);
    EXPECT_EQ(text, each.wanted) << each.target;
    EXPECT_TRUE(url->is_resource) << each.target;
  }
}

TEST(UrlTest, RootsAreNotResources) {
  for (const char* target : {"/", "/api", "/api/v1", "/apis/apps", "/apis/apps/v1", "/version"}) {
    EXPECT_FALSE(parse_url(target)->is_resource) << target;
  }
}

TEST(UrlTest, QueriesAreDecoded) {
  const ApiResult<Url> url = parse_url("/api/v1/pods?labelSelector=a%3Db+c&x=1&x=2&bad=%zz");

  EXPECT_EQ(url->query.get("labelSelector"), "a=b c");
  EXPECT_EQ(url->query.all("x"), (std::vector<std::string>{"1", "2"}));
  EXPECT_FALSE(url->query.find("bad"));
  EXPECT_FALSE(url->query.find("absent"));
}

TEST(UrlTest, ABrokenEscapeInThePathIsRefused) {
  EXPECT_FALSE(parse_url("/api/%zz"));
  EXPECT_FALSE(parse_url("/api/%2"));
}

TEST(UrlTest, AFieldSelectorOfOneNameIsSeenByAuthorization) {
  EXPECT_EQ(parse_url("/api/v1/nodes?fieldSelector=metadata.name%3Dn")->selected_name, "n");
  EXPECT_EQ(parse_url("/api/v1/nodes?fieldSelector=a%3Db,metadata.name%3D%3Dn")->selected_name,
            "n");
  EXPECT_EQ(parse_url("/api/v1/nodes?fieldSelector=a%3Db%5C,metadata.name%3Dn")->selected_name, "");
  EXPECT_EQ(parse_url("/api/v1/nodes?fieldSelector=metadata.name!%3Dn")->selected_name, "");
  EXPECT_EQ(parse_url("/api/v1/nodes?fieldSelector=metadata.name%3Da%5C,b")->selected_name, "");
}

}  // namespace
}  // namespace davit::sandbox
