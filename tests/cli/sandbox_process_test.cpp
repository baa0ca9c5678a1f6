#include "cli/sandbox_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/support/http_client.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/scarcity.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class SandboxProcessTest : public testing::Test {
 protected:
  SandboxProcessTest() {
    options_.security = SandboxSecurity::kPlain;
    options_.port = 0;
    options_.controllers = {"scheduler"};
  }

  Result<std::unique_ptr<SandboxProcess>> open() {
    const Result<SandboxSettings> settings =
        merge_sandbox_settings(options_, [this](const std::string& name) {
          return name == "HOME" ? std::optional(directory_.path().string()) : std::nullopt;
        });
    if (!settings) return settings.error();
    return SandboxProcess::open(*settings, {*clock_, *random_, sink_});
  }

  static std::string content(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  static std::string get(const SandboxProcess& process, const std::string& target,
                         const std::string& token) {
    return send(process, "GET " + target, "Authorization: Bearer " + token + "\r\n");
  }
  /// `request` is a method and a target.
  static std::string send(const SandboxProcess& process, const std::string& request,
                          const std::string& headers, const std::string& body = "",
                          const std::string& host = "localhost") {
    const std::string url = process.url();
    test::HttpClient client(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
    client.send(request + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" + headers +
                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.read_all();
  }

  TempDirectory directory_;
  SandboxOptions options_;
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  const std::unique_ptr<Random> random_ = make_system_random();
  test::RecordingLogSink sink_;
};

TEST_F(SandboxProcessTest, WithoutAThreadForItsControllersItDoesNotOpen) {
  {
    const test::NoThreads scarce(1);  // One for its HTTP server.
    const auto process = open();
    EXPECT_EQ(scarce.wanted(), 1U);
    ASSERT_FALSE(process);
    EXPECT_EQ(process.error().code(), Code::kUnavailable);
    EXPECT_THAT(process.error().message(),
                HasSubstr("cannot run the sandbox's controllers: cannot start a thread"));
  }
  EXPECT_TRUE(open());
}

TEST_F(SandboxProcessTest, WithoutAThreadForItsNodesItDoesNotOpen) {
  // Two for its HTTP server and its controllers, then one for the nodes' connection.
  for (const std::size_t after : {2U, 3U}) {
    const test::NoThreads scarce(after);
    const auto process = open();
    EXPECT_EQ(scarce.wanted(), 1U);
    ASSERT_FALSE(process);
    EXPECT_EQ(process.error().code(), Code::kUnavailable);
    EXPECT_THAT(process.error().message(),
                HasSubstr(after == 2 ? "cannot connect to the sandbox" : "cannot simulate nodes"));
  }
  EXPECT_TRUE(open());
}

TEST_F(SandboxProcessTest, WithoutAThreadNoClientConnectsAndTheSandboxServesOn) {
  const auto process = open();
  ASSERT_TRUE(process) << process.error().message();
  {
    const test::NoThreads scarce;
    const auto way = (*process)->connect();
    ASSERT_FALSE(way);
    EXPECT_EQ(way.error().code(), Code::kUnavailable);
  }
  EXPECT_TRUE((*process)->connect());
  EXPECT_THAT(get(**process, "/api/v1/nodes", ""), StartsWith("HTTP/1.1 200 "));
}

TEST_F(SandboxProcessTest, KubeconfigLeadsToIt) {
  const auto process = open();

  ASSERT_TRUE(process) << process.error().message();
  const std::string kubeconfig = content((*process)->kubeconfig());
  EXPECT_THAT(kubeconfig, HasSubstr((*process)->url()));
  const std::size_t at = kubeconfig.find("token: \"") + 8;
  const std::string token = kubeconfig.substr(at, kubeconfig.find('"', at) - at);
  EXPECT_THAT(get(**process, "/api/v1/namespaces/default", token), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(get(**process, "/api/v1/nodes", "nobody's"), StartsWith("HTTP/1.1 401 "));
}

TEST_F(SandboxProcessTest, PlainHttpNeedsNoCredentialsBecauseClientsSendNone) {
  const auto process = open();
  ASSERT_TRUE(process) << process.error().message();
  EXPECT_THAT(get(**process, "/api/v1/nodes", ""), StartsWith("HTTP/1.1 200 "));
}

TEST_F(SandboxProcessTest, PlainHttpRefusesWhatAForeignPageCanMakeABrowserSend) {
  const auto process = open();
  ASSERT_TRUE(process) << process.error().message();
  const std::string ns = R"({"metadata":{"name":"planted"}})";
  const std::string form = "Content-Type: text/plain\r\n";

  EXPECT_THAT(send(**process, "POST /api/v1/namespaces", form, ns), StartsWith("HTTP/1.1 415 "));
  EXPECT_THAT(send(**process, "GET /api/v1/secrets", "", "", "evil.example:6443"),
              StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(get(**process, "/api/v1/namespaces/planted", ""), StartsWith("HTTP/1.1 404 "));
}

TEST_F(SandboxProcessTest, TokenFileNamesFurtherUsers) {
  options_.token_file = directory_.write("tokens", "secret,alice,1,\"system:masters\"\n");
  const auto process = open();

  ASSERT_TRUE(process) << process.error().message();
  EXPECT_THAT(get(**process, "/api/v1/nodes", "secret"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(SandboxProcessTest, FirstPodOfANewNamespaceHasTheDefaultAccountAndItsToken) {
  options_.controllers = {"accounts"};
  const auto process = open();
  ASSERT_TRUE(process) << process.error().message();
  const std::string json = "Content-Type: application/json\r\n";
  // A pod waits for 1.5 seconds, within which a busy machine may not let the controllers run.
  constexpr int kTries = 20;
  std::string pod;
  for (int i = 0; i < kTries && !pod.starts_with("HTTP/1.1 201 "); ++i) {
    const std::string ns = "fresh-" + std::to_string(i);
    EXPECT_THAT(send(**process, "POST /api/v1/namespaces", json,
                     R"({"metadata":{"name":")" + ns + R"("}})"),
                StartsWith("HTTP/1.1 201 "));
    pod = send(**process, "POST /api/v1/namespaces/" + ns + "/pods", json,
               R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  }
  EXPECT_THAT(pod, StartsWith("HTTP/1.1 201 "));
  EXPECT_THAT(pod, HasSubstr(R"("serviceAccountName":"default")"));
  EXPECT_THAT(pod, HasSubstr(R"("name":"kube-api-access-)"));
}

TEST_F(SandboxProcessTest, JobIsCreatedWithTheWarningThatNothingRunsIt) {
  const auto process = open();
  ASSERT_TRUE(process) << process.error().message();

  const std::string job =
      send(**process, "POST /apis/batch/v1/namespaces/default/jobs",
           "Content-Type: application/json\r\n",
           R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{"restartPolicy":"Never",)"
           R"("containers":[{"name":"c","image":"i"}]}}}})");

  EXPECT_THAT(job, StartsWith("HTTP/1.1 201 "));
  EXPECT_THAT(job, HasSubstr("Warning: 299 - \"this sandbox has no controller for Jobs: "));
}

TEST_F(SandboxProcessTest, ServicesHaveAddressesOfTheGivenRanges) {
  options_.service_ranges = "fd00:9::/112,10.9.0.0/24";
  const auto process = open();
  ASSERT_TRUE(process) << process.error().message();

  const std::string service = send(
      **process, "POST /api/v1/namespaces/default/services", "Content-Type: application/json\r\n",
      R"({"metadata":{"name":"web"},"spec":{"ipFamilyPolicy":"RequireDualStack",)"
      R"("ports":[{"port":80}]}})");

  EXPECT_THAT(service, StartsWith("HTTP/1.1 201 "));
  EXPECT_THAT(service, HasSubstr(R"("clusterIP":"fd00:9::)"));
  EXPECT_THAT(service, HasSubstr(R"(","10.9.0.)"));

  options_.service_ranges = "10.9.0.0/24,10.10.0.0/24";
  EXPECT_THAT(open().error().message(), EndsWith(": 10.9.0.0/24,10.10.0.0/24"));
}

TEST_F(SandboxProcessTest, DataFileIsOfOneAtATime) {
  options_.data_file = (directory_.path() / "data").string();
  const auto first = open();
  ASSERT_TRUE(first) << first.error().message();

  EXPECT_EQ(open().error().code(), Code::kConflict);
}

TEST_F(SandboxProcessTest, FaultsOfAScriptInYamlOrJsonHappen) {
  options_.token_file = directory_.write("tokens", "secret,alice,1,\"system:masters\"\n");
  for (const char* script : {R"({"rules":[{"fault":"reset"}]})", "rules:\n- fault: reset\n"}) {
    options_.faults_file = directory_.write("faults", script);
    const auto process = open();

    ASSERT_TRUE(process) << process.error().message();
    EXPECT_EQ(get(**process, "/api/v1/nodes", "secret"), "");
  }
}

TEST_F(SandboxProcessTest, FilesThatCannotBeUsedAreNamed) {
  options_.token_file = directory_.write("tokens", "a,b\n");
  EXPECT_THAT(open().error().message(), EndsWith("tokens: line 1 needs token, user and uid"));

  options_.token_file = "";
  options_.faults_file = (directory_.path() / "gone").string();
  EXPECT_THAT(open().error().message(), HasSubstr("gone"));

  options_.faults_file = directory_.write("faults", "rules:\n- fault: [\n");
  EXPECT_THAT(open().error().message(), HasSubstr("faults:3:"));
}

}  // namespace
}  // namespace davit::host
