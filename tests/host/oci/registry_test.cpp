#include "host/oci/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/base64.hpp>
#include <thread>

#include "lib/net/http_server.hpp"
#include "tests/host/oci/bundles.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

test::ScriptedResponse reply(int status, std::string body = "", HttpHeaders headers = {}) {
  return {status, std::move(body), std::move(headers), {}, {}};
}

/// A registry in memory; `lie` may respond instead of it.
class FakeRegistry {
 public:
  FakeRegistry() {
    transport.set_script([this](const HttpRequest& request) { return respond(request); });
  }
  void serve(const OciArtifact& artifact, const std::string& tag) {
    content = artifact.blobs;
    content[artifact.digest()] = artifact.index;
    content[tag] = artifact.index;
  }
  [[nodiscard]] std::vector<std::string> sent() const {
    std::vector<std::string> out;
    for (const HttpRequest& each : transport.requests()) {
      out.push_back(each.method + " " + each.target);
    }
    return out;
  }

  test::FakeTransport transport;
  std::map<std::string, std::string> content;  // Its keys are digests and tags.
  std::function<std::optional<test::ScriptedResponse>(const HttpRequest&)> lie;

 private:
  test::ScriptedResponse respond(const HttpRequest& request) {
    if (lie) {
      if (std::optional<test::ScriptedResponse> other = lie(request)) return *std::move(other);
    }
    const std::string name = request.target.substr(request.target.rfind('/') + 1);
    if (request.method == "POST") return reply(202, "", {{"location", "/upload/7?state=x"}});
    if (request.method == "PUT") {
      const std::size_t at = request.target.find("digest=");
      std::string as = at == std::string::npos ? name : request.target.substr(at + 7);
      if (const std::size_t colon = as.find("%3A"); colon != std::string::npos) {
        as.replace(colon, 3, ":");
      }
      content[as] = request.body;
      return reply(201);
    }
    const auto found = content.find(name);
    if (found == content.end()) {
      return reply(404, R"({"errors":[{"code":"MANIFEST_UNKNOWN","message":"not here"}]})");
    }
    return reply(200, request.method == "HEAD" ? "" : found->second);
  }
};

class RegistryTest : public testing::Test {
 protected:
  std::unique_ptr<Registry> open(const std::string& reference = "r.example.com/team/greeter:1.2.0",
                                 const std::string& login_file = "") {
    RegistryOptions options;
    options.login_file = login_file;
    options.connect = [this](const OutboundServer& server) {
      connected_.push_back(server.url);
      return Result<std::unique_ptr<Transport>>(
          std::make_unique<test::BorrowedTransport>(server_.transport));
    };
    Result<std::unique_ptr<Registry>> opened =
        Registry::open(*OciReference::parse(reference), options, clock_, Logger(sink_));
    EXPECT_TRUE(opened) << opened.error().message();
    return opened ? *std::move(opened) : nullptr;
  }
  std::string login() const {
    return directory_.write("config.json", R"({"auths":{"r.example.com":{"auth":")" +
                                               encode_base64("me:s3cret") + R"("}}})");
  }
  /// Why the bundle 1.2.0 cannot be taken.
  std::string refusal() { return open_bundle(*open(), "1.2.0", "amd64").error().message(); }

  test::FakeClock clock_;
  test::RecordingLogSink sink_;
  FakeRegistry server_;
  TempDirectory directory_;
  std::vector<std::string> connected_;
  const OciArtifact artifact_ = bundle_of(parts_of("greeter", "1.2.0"));
};

TEST_F(RegistryTest, ABundleIsTakenByItsTag) {
  server_.serve(artifact_, "1.2.0");
  const Result<OpenedBundle> bundle = open_bundle(*open(), "1.2.0", "amd64");
  ASSERT_TRUE(bundle) << bundle.error().message();
  EXPECT_EQ(bundle->plugin, "plugin for amd64 1.2.0");
  EXPECT_EQ(bundle->digest, artifact_.digest());
  EXPECT_THAT(connected_, ElementsAre("https://r.example.com:443"));
  EXPECT_EQ(server_.sent().front(), "GET /v2/team/greeter/manifests/1.2.0");
}

TEST_F(RegistryTest, WhatIsPushedIsWhatIsPulled) {
  ASSERT_TRUE(open()->push(artifact_, "1.2.0").ok());

  const Result<OciArtifact> copy = copy_artifact(*open(), "1.2.0");

  ASSERT_TRUE(copy) << copy.error().message();
  EXPECT_EQ(copy->index, artifact_.index);
  EXPECT_EQ(copy->blobs, artifact_.blobs);
  EXPECT_EQ(server_.content.at("1.2.0"), artifact_.index);
}

TEST_F(RegistryTest, WhatIsThereIsNotUploadedAgain) {
  server_.serve(artifact_, "1.2.0");
  ASSERT_TRUE(open()->push(artifact_, "latest").ok());
  for (const std::string& each : server_.sent()) EXPECT_THAT(each, Not(HasSubstr("POST")));
}

TEST_F(RegistryTest, ARegistryThatLiesAboutDigestsIsFound) {
  server_.serve(artifact_, "1.2.0");
  for (auto& [name, bytes] : server_.content) {
    if (bytes.starts_with("greeter.so")) bytes[600] = '!';  // In the layers.
  }
  EXPECT_THAT(refusal(), HasSubstr("the content is not sha256:"));

  const OciArtifact other = bundle_of(parts_of("greeter", "6.6.6"));
  server_.serve(other, "1.2.0");
  server_.content[artifact_.digest()] = other.index;
  EXPECT_THAT(open_bundle(*open(), artifact_.digest(), "amd64").error().message(),
              HasSubstr("the content is not " + artifact_.digest()));
}

TEST_F(RegistryTest, ARegistryThatSendsMoreThanItAnnouncesIsCutOff) {
  server_.serve(artifact_, "1.2.0");
  server_.lie = [](const HttpRequest& request) -> std::optional<test::ScriptedResponse> {
    if (request.target.find("/blobs/") == std::string::npos) return std::nullopt;
    return reply(200, std::string(std::size_t{1} << 20, 'x'));
  };
  EXPECT_THAT(refusal(), HasSubstr("the response is larger than"));
  server_.lie = [](const HttpRequest&) {
    return reply(200, std::string(OciLimits::kDocumentBytes + 1, 'x'));
  };
  EXPECT_THAT(refusal(), HasSubstr("the response is larger than 4194304 bytes"));
}

/// A body that never ends.
class EndlessBody final : public HttpBodyStream {
 public:
  State read(std::string& out, std::size_t bytes_max) override {
    out.append(bytes_max, 'x');
    return State::kOpen;
  }
  void on_ready(std::function<void()> /*ready*/) override {}
  [[nodiscard]] Time next_read() const override { return Time::max(); }
};

TEST_F(RegistryTest, ARegistryThatSendsTenGigabytesIsCutOffOverASocket) {
  const Result<std::unique_ptr<HttpServer>> server = HttpServer::open(
      {},
      [](const HttpServerRequest&) {
        HttpServerResponse response = json_response(200, "");
        response.stream = std::make_unique<EndlessBody>();
        return response;
      },
      Logger(sink_));
  ASSERT_TRUE(server) << server.error().message();
  const std::unique_ptr<Clock> clock = make_system_clock();
  const Result<std::unique_ptr<Registry>> registry = Registry::open(
      *OciReference::parse((*server)->endpoint() + "/greeter:1"), {}, *clock, Logger(sink_));
  ASSERT_TRUE(registry);
  EXPECT_THAT((*registry)->document("1").error().message(),
              HasSubstr("the response is larger than 4194304 bytes"));
}

TEST_F(RegistryTest, ARegistryThatHangsIsGivenUp) {
  server_.lie = [](const HttpRequest&) { return test::open_response(200); };
  std::string why;
  {
    const std::jthread caller([&] { why = refusal(); });
    clock_.await_deadline(clock_.now() + std::chrono::seconds(60));
    clock_.advance(std::chrono::seconds(60));
  }
  EXPECT_THAT(why, HasSubstr("no response in time"));
}

TEST_F(RegistryTest, RedirectsLeadOnlyToHttpsAndGetNoLogin) {
  server_.serve(artifact_, "1.2.0");
  std::string location = "https://storage.example.com/blob";
  std::vector<std::string> logins;
  server_.lie = [&](const HttpRequest& request) -> std::optional<test::ScriptedResponse> {
    const bool known = std::any_of(request.headers.begin(), request.headers.end(),
                                   [](const auto& each) { return each.first == "Authorization"; });
    logins.push_back(request.target.substr(0, 5) + (known ? " with" : " without"));
    if (!known && request.target != "/blob") {
      return reply(401, "", {{"www-authenticate", "Basic realm=\"x\""}});
    }
    if (request.target == "/blob") return reply(200, artifact_.index);
    return reply(307, "", {{"location", location}});
  };
  EXPECT_TRUE(open("r.example.com/greeter", login())->document("1.2.0"));
  EXPECT_THAT(logins, ElementsAre("/v2/g without", "/v2/g with", "/blob without"));

  for (const char* const other : {"http://storage.example.com/blob", "https://127.0.0.1:8443/x"}) {
    location = other;
    const Result<std::string> got = open("r.example.com/greeter", login())->document("1.2.0");
    EXPECT_EQ(got.error().code(), Code::kForbidden) << other;
    EXPECT_THAT(got.error().message(), HasSubstr("a redirect to a server without HTTPS"));
  }
  location = "/v2/again";
  EXPECT_THAT(open("r.example.com/greeter", login())->document("1").error().message(),
              HasSubstr("responds with 307"))
      << "a circle ends";
}

TEST_F(RegistryTest, TheTokenOfABearerRealmIsFetchedWithTheLogin) {
  server_.serve(artifact_, "1.2.0");
  std::vector<std::string> realm_logins;
  server_.lie = [&](const HttpRequest& request) -> std::optional<test::ScriptedResponse> {
    std::string login;
    for (const auto& [name, value] : request.headers) {
      if (name == "Authorization") login = value;
    }
    if (request.target.starts_with("/token")) {
      realm_logins.push_back(request.target + " " + login);
      return reply(200, R"({"token":"t0ken"})");
    }
    if (login == "Bearer t0ken") return std::nullopt;
    return reply(401, "",
                 {{"www-authenticate",
                   R"(Bearer realm="https://auth.example.com:8443/token",service="r, x",)"
                   R"(scope="repository:other:push")"}});
  };

  EXPECT_TRUE(open_bundle(*open("r.example.com/team/greeter", login()), "1.2.0", "amd64"));

  EXPECT_THAT(
      realm_logins,
      ElementsAre("/token?service=r%2C%20x&scope=repository%3Ateam%2Fgreeter%3Apull Basic " +
                  encode_base64("me:s3cret")))
      << "once, for what is needed and not for what the registry asks";
  EXPECT_TRUE(open("r.example.com/team/greeter", login())->push(artifact_, "2").ok());
  EXPECT_THAT(realm_logins.back(), HasSubstr("pull%2Cpush"));
}

TEST_F(RegistryTest, ALoginIsNeverSentToARealmWithoutHttps) {
  for (const char* const realm : {"http://auth.example.com/token", "http://127.0.0.1/token", "x"}) {
    server_.lie = [&](const HttpRequest& request) -> std::optional<test::ScriptedResponse> {
      EXPECT_THAT(request.target, Not(HasSubstr("token")));
      return reply(401, "", {{"www-authenticate", std::string("Bearer realm=\"") + realm + "\""}});
    };
    EXPECT_THAT(open("r.example.com/greeter", login())->document("1").error().message(),
                HasSubstr("its realm"));
  }
}

TEST_F(RegistryTest, ALoginIsNeverSentToARealmThatTheTargetOfARedirectNames) {
  server_.lie = [](const HttpRequest& request) -> std::optional<test::ScriptedResponse> {
    EXPECT_THAT(request.target, Not(HasSubstr("token")));
    if (request.target != "/blob") {
      return reply(307, "", {{"location", "https://storage.example.com/blob"}});
    }
    return reply(401, "", {{"www-authenticate", R"(Bearer realm="https://evil.example/token")"}});
  };
  const Status refused = open("r.example.com/greeter", login())->document("1").error();
  EXPECT_EQ(refused.code(), Code::kForbidden);
  EXPECT_THAT(refused.message(), HasSubstr("responds with 401"));
}

TEST_F(RegistryTest, AServerOfTokensThatIsDownIsNotARefusal) {
  int status = 503;
  server_.lie = [&](const HttpRequest& request) -> std::optional<test::ScriptedResponse> {
    if (request.target.starts_with("/token")) return reply(status, "", {{"retry-after", "3600"}});
    return reply(401, "", {{"www-authenticate", R"(Bearer realm="https://a.example.com/token")"}});
  };
  const auto code = [&] { return open("r.example.com/greeter", login())->document("1").error(); };
  EXPECT_EQ(code().code(), Code::kUnavailable);
  status = 429;
  EXPECT_EQ(code().code(), Code::kUnavailable);
  for (const int refusal : {400, 401, 403, 404}) {
    status = refusal;
    EXPECT_EQ(code().code(), Code::kForbidden) << refusal;
  }
}

TEST_F(RegistryTest, OnlyARegistryOfThisMachineIsAskedWithoutHttps) {
  for (const char* const local : {"localhost:5000", "127.0.0.1:5000", "127.1.2.3:5000"}) {
    (void)open(std::string(local) + "/greeter:1")->document("1");
    EXPECT_THAT(connected_.back(), HasSubstr("http://")) << local;
  }
  for (const char* const other : {"127.evil.example", "127.0.0.1.evil.example", "localhost.evil"}) {
    (void)open(std::string(other) + "/greeter:1")->document("1");
    EXPECT_THAT(connected_.back(), HasSubstr("https://")) << other;
  }
}

TEST_F(RegistryTest, ErrorsInAnotherFormAreAFailureLikeOthers) {
  for (const char* const body :
       {R"({"errors":{"code":"x"}})", R"({"errors":"x"})", R"({"errors":[5]})", R"([])", "text"}) {
    server_.lie = [&](const HttpRequest&) { return reply(500, body); };
    EXPECT_THAT(refusal(), HasSubstr("responds with 500")) << body;
    EXPECT_FALSE(open()->tags()) << body;
  }
  for (const char* const body : {R"({"tags":{"a":1}})", R"({"tags":5})", R"([1])"}) {
    server_.lie = [&](const HttpRequest&) { return reply(200, body); };
    EXPECT_TRUE(open()->tags()->empty()) << body;
  }
}

TEST_F(RegistryTest, AMissingLoginIsNamedAndAWrongOneIsNotShown) {
  server_.lie = [](const HttpRequest&) {
    return reply(401, R"({"errors":[{"code":"UNAUTHORIZED","message":"go away"}]})",
                 {{"www-authenticate", "Basic realm=\"x\""}});
  };
  EXPECT_THAT(refusal(), HasSubstr("r.example.com asks for a login"));
  const Status wrong = open("r.example.com/greeter", login())->document("1").error();
  EXPECT_EQ(wrong.code(), Code::kForbidden);
  EXPECT_THAT(wrong.message(), HasSubstr("UNAUTHORIZED: go away"));
  EXPECT_THAT(wrong.message(), Not(HasSubstr("s3cret")));
}

TEST_F(RegistryTest, AnUploadNeverGoesToAnotherServer) {
  server_.lie = [](const HttpRequest& request) -> std::optional<test::ScriptedResponse> {
    if (request.method != "POST") return std::nullopt;
    return reply(202, "", {{"location", "https://elsewhere.example.com/upload"}});
  };
  EXPECT_THAT(open()->push(artifact_, "1").message(), HasSubstr("names another server"));
}

TEST_F(RegistryTest, TagsComeFromAllPages) {
  server_.lie = [](const HttpRequest& request) -> std::optional<test::ScriptedResponse> {
    const bool first = request.target.find("last=") == std::string::npos;
    HttpHeaders headers;
    if (first) {
      headers = {{"link", "</v2/team/greeter/tags/list?last=1.1.0&n=1000>; rel=\"next\""}};
    }
    return reply(200, first ? R"({"tags":["1.0.0","1.1.0","/bad"]})" : R"({"tags":["latest"]})",
                 headers);
  };
  EXPECT_THAT(*open()->tags(), ElementsAre("1.0.0", "1.1.0", "latest"));
}

TEST_F(RegistryTest, WhatIsMissingIsNotFound) {
  const Status missing = open()->document("1.2.0").error();
  EXPECT_EQ(missing.code(), Code::kNotFound);
  EXPECT_EQ(missing.message(),
            "r.example.com/team/greeter: 1.2.0: the registry responds with 404 "
            "(MANIFEST_UNKNOWN: not here)");
}

}  // namespace
}  // namespace davit::host
