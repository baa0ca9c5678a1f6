#include "sandbox/http/browser_guard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::sandbox {
namespace {

using testing::HasSubstr;

class Anything final : public HttpHandler {
 public:
  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest&) override { return {}; }
};

class BrowserGuardTest : public testing::Test {
 protected:
  HttpServerResponse ask(const std::string& host, const std::string& method = "GET",
                         const std::string& body = "", const std::string& type = "") {
    HttpServerRequest request;
    request.method = method;
    request.target = "/api/v1/namespaces";
    if (!host.empty()) request.headers.emplace_back("Host", host);
    if (!type.empty()) request.headers.emplace_back("Content-Type", type);
    request.body = body;
    return guard_.handle(request);
  }

  Anything server_;
  BrowserGuard guard_{server_, "127.1.2.3"};
};

TEST_F(BrowserGuardTest, OnlyOwnNamesAndAddressesAreServed) {
  for (const char* own :
       {"localhost", "localhost:6443", "LocalHost.:6443", "a.localhost", "127.0.0.1:6443",
        "127.9.9.9", "[::1]:6443", "[::1]", "127.1.2.3:80", ""}) {
    EXPECT_EQ(ask(own).status, 200) << own;
  }
  for (const char* foreign :
       {"evil.example", "evil.example:6443", "127.0.0.1.evil.example", "localhost.evil.example",
        "127.evil.example:80", "[::2]:6443", "10.0.0.1:6443", "notlocalhost", ":6443"}) {
    const HttpServerResponse refused = ask(foreign);
    EXPECT_EQ(refused.status, 403) << foreign;
    EXPECT_THAT(refused.body, HasSubstr(foreign));
    EXPECT_THAT(refused.body, HasSubstr(R"("reason":"Forbidden")"));
  }
}

TEST_F(BrowserGuardTest, BodiesThatFormsCanSendAreRefused) {
  for (const char* type :
       {"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=json",
        "text/plain; application/json", "text/plain, application/json"}) {
    for (const char* method : {"POST", "PUT", "PATCH"}) {
      const HttpServerResponse refused = ask("localhost", method, "{}", type);
      EXPECT_EQ(refused.status, 415) << method << " " << type;
      EXPECT_THAT(refused.body, HasSubstr(R"("reason":"UnsupportedMediaType")"));
    }
  }
  for (const char* type :
       {"application/json", "Application/JSON; charset=utf-8", "application/yaml",
        "application/vnd.kubernetes.protobuf", "application/merge-patch+json",
        "application/apply-patch+yaml", "application/vnd.kubernetes.protobuf;stream=watch"}) {
    EXPECT_EQ(ask("localhost", "PATCH", "{}", type).status, 200) << type;
  }
  EXPECT_EQ(ask("localhost", "POST").status, 200) << "no body";
  EXPECT_EQ(ask("localhost", "DELETE", "{}").status, 200) << "no form can send it";
}

}  // namespace
}  // namespace davit::sandbox
