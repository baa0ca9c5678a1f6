// An aggregated API as a user of kubectl meets it, the same on the sandbox and on a real server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/live/conformance/tool_server.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/process.hpp"
#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kHammers = "/apis/tools.example.com/v1/namespaces/default/hammers";
constexpr const char* kService = "apiservice/v1.tools.example.com";

std::string hammer(const std::string& name, int grams) {
  return R"({"apiVersion":"tools.example.com/v1","kind":"Hammer","metadata":{"name":")" + name +
         R"(","namespace":"default"},"spec":{"grams":)" + std::to_string(grams) + "}}";
}

enum class Server : std::uint8_t { kSandbox, kReal };

class AggregatedApiLiveTest : public testing::TestWithParam<Server> {
 protected:
  void SetUp() override {
    if (GetParam() == Server::kReal) {
      if (assets().empty()) GTEST_SKIP() << no_assets();
      real_.emplace();
    } else {
      sandbox_.emplace(std::vector<std::string>{"--nodes=0", "--controllers=gc"});
    }
  }

  [[nodiscard]] Outcome kubectl(const std::vector<std::string>& args,
                                const std::string& input = "") const {
    return real_ ? real_->kubectl(args, input) : sandbox_->kubectl(args, input);
  }
  /// The output of a command that succeeds.
  [[nodiscard]] std::string shown(const std::vector<std::string>& args,
                                  const std::string& input = "") const {
    const Outcome outcome = kubectl(args, input);
    EXPECT_EQ(outcome.code, 0) << args.front() << ": " << outcome.err;
    return outcome.out;
  }
  [[nodiscard]] std::string raw(const std::string& target) const {
    return shown({"get", "--raw", target});
  }
  /// A kubectl that runs on.
  [[nodiscard]] std::unique_ptr<Process> running(std::vector<std::string> args) const {
    const std::string config = real_ ? real_->kubeconfig() : sandbox_->kubeconfig();
    args.insert(args.begin(), {"kubectl", "--kubeconfig", config});
    return std::make_unique<Process>(args, scratch_.path() / "watch.log");
  }

  /// Registers the group, and waits until its server is known.
  void register_group(const ToolServer& tools) const {
    ASSERT_THAT(shown({"apply", "-f", "-"}, tools.manifest()), HasSubstr("created"));
    ASSERT_EQ(kubectl({"wait", "--for=condition=Available", kService, "--timeout=120s"}).code, 0);
    // Discovery follows the condition.
    ASSERT_TRUE(eventually(minutes(2), [&] {
      return kubectl({"get", "--raw", kHammers}).code == 0 &&
             kubectl({"api-resources", "--api-group=tools.example.com"}).out.find("hammers") !=
                 std::string::npos;
    }));
  }
  [[nodiscard]] std::string condition() const {
    return shown({"get", kService, "-o",
                  "jsonpath={.status.conditions[?(@.type==\"Available\")]['status','reason']}"});
  }

  ScratchDir scratch_;
  std::optional<ControlPlane> real_;
  std::optional<Sandbox> sandbox_;
};

TEST_P(AggregatedApiLiveTest, KubectlWorksWithItsObjects) {
  const ToolServer tools;
  register_group(tools);

  EXPECT_THAT(shown({"api-resources", "--api-group=tools.example.com", "-o", "name"}),
              HasSubstr("hammers.tools.example.com"));
  EXPECT_THAT(shown({"api-versions"}), HasSubstr("tools.example.com/v1\n"));
  EXPECT_EQ(shown({"apply", "-f", "-"}, hammer("a", 500)), "hammer.tools.example.com/a created\n");
  EXPECT_EQ(shown({"apply", "-f", "-"}, hammer("a", 500)),
            "hammer.tools.example.com/a unchanged\n");
  EXPECT_EQ(shown({"apply", "-f", "-"}, hammer("a", 600)),
            "hammer.tools.example.com/a configured\n");
  EXPECT_EQ(shown({"get", "ha", "a", "-o", "jsonpath={.spec.grams}"}), "600");
  EXPECT_THAT(shown({"get", "hammers"}), AllOf(StartsWith("NAME"), HasSubstr("\na ")));
  EXPECT_THAT(shown({"describe", "hammer", "a"}), HasSubstr("Grams:"));
  EXPECT_THAT(raw(kHammers), HasSubstr(R"("kind":"HammerList")"));
  EXPECT_THAT(kubectl({"get", "hammer", "none"}).err, HasSubstr("hammers \"none\" not found"));

  const auto watch = running({"get", "hammers", "--watch", "-o", "name"});
  const auto has_seen = [&](const std::string& text) {
    return eventually(minutes(1), [&] { return watch->output().find(text) != std::string::npos; });
  };
  EXPECT_TRUE(has_seen("hammer.tools.example.com/a")) << watch->output();
  EXPECT_EQ(shown({"create", "-f", "-"}, hammer("b", 100)), "hammer.tools.example.com/b created\n");
  EXPECT_TRUE(has_seen("hammer.tools.example.com/b")) << watch->output();
  EXPECT_THAT(shown({"delete", "hammer", "a", "--wait=false"}), HasSubstr("\"a\" deleted"));
}

TEST_P(AggregatedApiLiveTest, ItsConditionShowsWhetherItsServerIsThere) {
  auto tools = std::make_unique<ToolServer>();
  register_group(*tools);

  EXPECT_EQ(condition(), "True Passed");
  const std::string described = shown({"describe", "apiservice", "v1.tools.example.com"});
  EXPECT_THAT(described, HasSubstr("all checks passed"));
  EXPECT_THAT(described, HasSubstr("Passed"));
  EXPECT_THAT(shown({"get", kService}), AllOf(HasSubstr("default/tools"), HasSubstr("True")));
  EXPECT_THAT(shown({"get", "apiservices"}), Not(HasSubstr("apiregistration.k8s.io")))
      << "the group of the aggregator has none";

  tools.reset();
  // Endpoints of an ExternalName are not watched; servers are asked every 30 s.
  EXPECT_TRUE(eventually(minutes(3), [&] { return condition() == "False FailedDiscoveryCheck"; }))
      << condition();
  EXPECT_THAT(shown({"get", kService}), HasSubstr("False (FailedDiscoveryCheck)"));
  EXPECT_THAT(kubectl({"get", "--raw", kHammers}).err,
              HasSubstr("the server is currently unable to handle the request"));
  EXPECT_EQ(kubectl({"get", "namespaces"}).code, 0) << "other groups are served";
}

TEST_P(AggregatedApiLiveTest, ItsServerSeesWhoAsksAndHow) {
  const ToolServer tools;
  register_group(tools);

  static_cast<void>(raw(std::string(kHammers) + "?limit=5"));

  const std::vector<std::string> seen = tools.last_headers();
  const std::string host = "localhost:" + std::to_string(tools.port());
  EXPECT_THAT(seen, Contains(StartsWith("X-Remote-User=")));
  EXPECT_THAT(seen, Contains("X-Remote-Group=system:masters"));
  EXPECT_THAT(seen, Contains("X-Forwarded-Host=" + host));
  EXPECT_THAT(seen, Contains("X-Forwarded-Proto=https"));
  EXPECT_THAT(seen, Contains(std::string("X-Forwarded-Uri=") + kHammers));
  EXPECT_THAT(seen, Contains(HasSubstr("127.0.0.1")));
  EXPECT_THAT(seen, Contains("Host=" + host));
  EXPECT_THAT(seen, Not(Contains(StartsWith("Authorization="))));
}

TEST_P(AggregatedApiLiveTest, ItsOpenApiIsMergedWithTheServers) {
  const ToolServer tools;
  register_group(tools);
  const std::string path = "/apis/tools.example.com/v1/namespaces/{namespace}/hammers/{name}";
  const std::string meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
  Json document;
  ASSERT_TRUE(eventually(minutes(3), [&] {
    document = *parse_json(raw("/openapi/v2"));
    return document.at({"paths", path}) != nullptr;
  }));

  EXPECT_EQ(document.text_at({"info", "title"}), "Kubernetes");
  const Json& definitions = document.get("definitions");
  EXPECT_FALSE(definitions.contains("com.example.other.v1.Saw")) << "of a path of another group";
  EXPECT_EQ(document.at({"paths", "/apis/other.example.com/v1/saws"}), nullptr);
  EXPECT_EQ(
      definitions.get("com.example.tools.v1.Hammer").text_at({"properties", "metadata", "$ref"}),
      "#/definitions/" + meta + "_v2");
  EXPECT_EQ(definitions.get(meta + "_v2").text_at({"description"}), "Of tools.");
  EXPECT_TRUE(definitions.contains(meta));
}

TEST_P(AggregatedApiLiveTest, ALocalApiServiceIsListedThoughNothingServesIt) {
  const std::string manifest = R"({"kind":"APIService","apiVersion":"apiregistration.k8s.io/v1",
      "metadata":{"name":"v1.mine.example.com"},"spec":{"group":"mine.example.com",
      "version":"v1","groupPriorityMinimum":17700,"versionPriority":10}})";
  ASSERT_THAT(shown({"apply", "-f", "-"}, manifest), HasSubstr("created"));
  const auto groups = [&] { return raw("/apis"); };
  EXPECT_TRUE(eventually(minutes(1), [&] {
    return groups().find(R"("name":"mine.example.com")") != std::string::npos;
  })) << groups();
  EXPECT_THAT(raw("/apis/mine.example.com"),
              HasSubstr(R"("preferredVersion":{"groupVersion":"mine.example.com/v1")"));
  EXPECT_NE(kubectl({"get", "--raw", "/apis/mine.example.com/v1"}).code, 0);
  EXPECT_TRUE(eventually(minutes(1), [&] {
    return shown({"get", "apiservice/v1.mine.example.com"}).find("True") != std::string::npos;
  }));
  const std::string listed = groups();
  EXPECT_LT(listed.find("authentication.k8s.io"), listed.find("mine.example.com"))
      << "equal priorities stand in the order of their names";
  EXPECT_LT(listed.find("mine.example.com"), listed.find("authorization.k8s.io"));

  ASSERT_EQ(kubectl({"delete", "apiservice", "v1.mine.example.com"}).code, 0);
  EXPECT_TRUE(eventually(minutes(1),
                         [&] { return groups().find("mine.example.com") == std::string::npos; }));
}

INSTANTIATE_TEST_SUITE_P(OnTheSandbox, AggregatedApiLiveTest, testing::Values(Server::kSandbox));
INSTANTIATE_TEST_SUITE_P(OnARealServer, AggregatedApiLiveTest, testing::Values(Server::kReal));

}  // namespace
}  // namespace davit::live
