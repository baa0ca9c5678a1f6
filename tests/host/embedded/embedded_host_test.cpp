#include "host/embedded/embedded_host.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <thread>

#include "cli/sandbox_process.hpp"
#include "host/api/rest_client.hpp"
#include "host/object/watch_splitter.hpp"
#include "lib/base/text_file.hpp"
#include "lib/kube/json.hpp"
#include "tests/support/program.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

/// A sandbox on a socket, and a manifest that runs the greeter on it.
class EmbeddedHostTest : public testing::Test {
 protected:
  EmbeddedHostTest() {
    SandboxOptions options;
    options.security = SandboxSecurity::kPlain;
    options.port = 0;
    options.controllers = {"scheduler"};
    const Result<SandboxSettings> settings =
        merge_sandbox_settings(options, [this](const std::string& name) {
          return name == "HOME" ? std::optional(directory_.path().string()) : std::nullopt;
        });
    sandbox_ = std::move(*SandboxProcess::open(*settings, {*clock_, *random_, sink_}));
    transport_ = std::move(*sandbox_->connect());
    client_ = std::make_unique<RestClient>(*transport_, *clock_, metrics_, Logger(sink_),
                                           RestOptions{.rate = {-1, 1}});
  }

  /// The path of a manifest with these plugins. Its port is any that is free.
  std::string manifest(const std::string& plugins) {
    return directory_.write("davit.yaml",
                            "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n"
                            "client: {kubeconfig: " +
                                sandbox_->kubeconfig() + "}\nplugins: " + plugins +
                                "\nhealth: {port: 0}\n");
  }
  std::string greeter() { return manifest("[{name: greeter, path: " DAVIT_GREETER_PLUGIN "}]"); }

  void create_pod() {
    ApiRequest request;
    request.verb = Verb::kCreate;
    request.path = pods();
    request.body = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web",
        "annotations":{"example.davit.dev/greet":"yes"}},
        "spec":{"containers":[{"name":"web","image":"web:1"}]}})";
    const ApiResponse response = client_->call(request);
    ASSERT_TRUE(response.status.ok()) << response.status.message();
  }
  /// Follows the pods until one has the greeter's label.
  Status await_greeting() {
    return await(pods(), [](const Json& pod) {
      return pod.text_at({"metadata", "labels", "greeting"}) == "hello";
    });
  }
  Json lease() {
    ApiRequest request;
    request.raw_path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/davit";
    return json_literal(client_->call(request).body);
  }

 private:
  static ResourcePath pods() { return {"", "v1", "pods", "", "default", ""}; }

  Status await(ResourcePath path, const std::function<bool(const Json&)>& done) {
    ApiRequest request;
    request.verb = Verb::kWatch;
    request.path = std::move(path);
    WatchSplitter splitter;
    const Status ended = client_->stream(request, {}, [&](std::string_view chunk) {
      return splitter.feed(chunk, [&](WatchType, std::string_view object) {
        return done(json_literal(object)) ? Status(Code::kCancelled, "seen") : Status();
      });
    });
    return ended.message() == "seen" ? Status() : ended;
  }

  TempDirectory directory_;
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  const std::unique_ptr<Random> random_ = make_system_random();
  test::RecordingLogSink sink_;
  NoRestMetrics metrics_;
  std::unique_ptr<SandboxProcess> sandbox_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<RestClient> client_;
};

TEST_F(EmbeddedHostTest, ProgramOfTheGuideReconcilesAndEndsOnSigterm) {
  create_pod();
  test::Program program(DAVIT_PROGRAM, {greeter()});

  const Status greeted = await_greeting();
  EXPECT_NE(lease().text_at({"spec", "holderIdentity"}), "");
  program.terminate();

  EXPECT_TRUE(greeted.ok()) << greeted.message();
  EXPECT_EQ(program.wait(), 0) << program.said();
  EXPECT_EQ(lease().text_at({"spec", "holderIdentity"}), "") << "released";
}

TEST_F(EmbeddedHostTest, ProgramWithAMistakeInItsManifestSaysWhereAndStartsNothing) {
  test::Program program(DAVIT_PROGRAM, {manifest("[{nmae: greeter}]")});

  EXPECT_EQ(program.wait(), 2);
  EXPECT_THAT(program.said(), HasSubstr("davit.yaml:4:"));
}

TEST_F(EmbeddedHostTest, StopThatIsRequestedBeforeTheStartEndsIt) {
  auto host = EmbeddedHost::open(greeter());
  ASSERT_TRUE(host) << host.error().message();
  (*host)->request_stop();

  const Status ended = (*host)->run();

  EXPECT_TRUE(ended.ok()) << ended.message();
  EXPECT_FALSE((*host)->hangs());
}

TEST_F(EmbeddedHostTest, ReconcilesInTheProgramThatEmbedsItUntilAnotherThreadStopsIt) {
  auto host = EmbeddedHost::open(greeter());
  ASSERT_TRUE(host) << host.error().message();
  create_pod();
  Status ended(Code::kInternal, "it has not ended");
  std::jthread controllers([&] { ended = (*host)->run(); });

  const Status greeted = await_greeting();
  (*host)->request_stop();
  controllers.join();

  EXPECT_TRUE(greeted.ok()) << greeted.message();
  EXPECT_TRUE(ended.ok()) << ended.message();
}

TEST_F(EmbeddedHostTest, BundleThatWouldHaveToBePulledIsRefused) {
  const auto host = EmbeddedHost::open(
      manifest("[{name: greeter, source: 'oci://registry.example.org/greeter:1@sha256:" +
               std::string(64, 'a') + "'}]"));

  EXPECT_FALSE(host);
  EXPECT_THAT(host.error().message(), HasSubstr("an embedded host pulls no bundles"));
}

TEST(EmbeddingPageTest, ShowsTheProgramThatIsTested) {
  const std::string page = read_text_file(DAVIT_SOURCE "/docs/EMBEDDING.md").value_or("");
  const std::string program =
      read_text_file(DAVIT_SOURCE "/examples/embedded_host/main.cpp").value_or("?");

  EXPECT_THAT(page, HasSubstr("```cpp\n" + program + "```\n"));
}

}  // namespace
}  // namespace davit::host
