#include "host/why/why_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/base/log.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/recording_rest_metrics.hpp"

namespace davit::host {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr char kCore[] =
    R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{},"versions":[{"version":"v1",)"
    R"("freshness":"Current","resources":[{"resource":"pods","responseKind":{"kind":"Pod"},)"
    R"("scope":"Namespaced","singularResource":"pod","shortNames":["po"],"verbs":["get"]}]}]}]})";
constexpr char kGroups[] =
    R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"apps"},"versions":[)"
    R"({"version":"v1","freshness":"Current","resources":[{"resource":"replicasets",)"
    R"("responseKind":{"kind":"ReplicaSet"},"scope":"Namespaced","singularResource":"replicaset",)"
    R"("verbs":["get"]}]}]}]})";

/// The pod web of the ReplicaSet web-1, which belongs to a kind that discovery lacks.
std::string owned_body(std::string_view target) {
  const bool is_pod = target.find("/pods/") != std::string_view::npos;
  const std::string owner =
      is_pod ? R"("apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-1","uid":"r")"
             : R"("apiVersion":"example.org/v1","kind":"Rollout","name":"web","uid":"o")";
  const std::string self =
      is_pod ? R"("apiVersion":"v1","kind":"Pod","metadata":{"name":"db","uid":"p")"
             : R"("apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web-1","uid":"r")";
  return "{" + self + R"(,"namespace":"shop","resourceVersion":"1",)" +
         R"("ownerReferences":[{"kind":"A","name":"a"},{)" + owner + R"(,"controller":true}]}})";
}

/// A host that has written to the pod shop/web, which its server has.
class WhyServiceTest : public testing::Test {
 protected:
  WhyServiceTest() {
    transport_.set_script([this](const HttpRequest& request) {
      test::ScriptedResponse response;
      response.body = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web",)"
                      R"("namespace":"shop","uid":"u","resourceVersion":"1"}})";
      if (has_owners_) response.body = owned_body(request.target);
      const bool is_core = request.target == "/api";
      if (is_gone_ && request.target.find("/pods/") != std::string::npos) {
        return test::ScriptedResponse{404, R"({"kind":"Status","apiVersion":"v1","code":404,)"
                                           R"("status":"Failure","reason":"NotFound"})"};
      }
      if (is_core || request.target == "/apis") {
        response.body = is_core ? kCore : kGroups;
        response.headers = {{"content-type",
                             "application/json;v=v2;g=apidiscovery.k8s.io;"
                             "as=APIGroupDiscoveryList"}};
      }
      return response;
    });
    acts("pod-controller");
  }

  /// A sync of shop/web that wrote the pod.
  void acts(const std::string& controller) {
    acts(controller, "shop/web", "patch", {"", "pods", "shop", "web"});
  }
  void acts(const std::string& controller, const std::string& key, const std::string& verb,
            const JournalObject& object) {
    ControllerJournal& journal = *journal_.of(controller);
    journal.begin(clock_.now());
    JournaledWork work(journal, {.queue = "q", .key = key}, clock_.now());
    Write write;
    write.verb = verb;
    write.object = object;
    write.began = clock_.now();
    write.http_status = 200;
    work.wrote(write);
    work.end({}, clock_.now());
  }
  [[nodiscard]] std::string answer() {
    const WhyService why({.journal = journal_,
                          .discovery = discovery_,
                          .serving = serving_,
                          .reader = client_,
                          .clock = clock_,
                          .controller_page =
                              [this](std::string_view controller, std::string_view path, Time) {
                                asked_.push_back(std::string(controller) + " " + std::string(path));
                                return page_;
                              },
                          .other_leader = [this] { return leader_; }});
    const Result<std::string> text = why.respond({.object = "po/" + asked_name_, .ns = "shop"});
    return text ? *text : text.error().message();
  }

  test::FakeClock clock_;
  test::FakeTransport transport_;
  test::RecordingRestMetrics metrics_;
  test::RecordingLogSink sink_;
  RestClient client_{transport_, clock_, metrics_, Logger(sink_), {.rate = {-1, 0}}};
  Discovery discovery_{client_};
  Journal journal_;
  PluginRegistry registry_;
  ServingPlugins serving_{registry_, clock_, Logger(sink_), nullptr};
  Result<std::string> page_ = std::string();
  std::vector<std::string> asked_;
  std::string asked_name_ = "web";
  bool is_gone_ = false;
  bool has_owners_ = false;
  std::string leader_;
};

TEST_F(WhyServiceTest, AStandbyNamesTheLeader) {
  EXPECT_THAT(answer(), Not(HasSubstr("lead")));
  leader_ = "node-2_1234";
  EXPECT_THAT(answer(),
              HasSubstr("  this host: does not lead; node-2_1234 does, and knows more\n"));

  is_gone_ = true;
  asked_name_ = "db";
  EXPECT_THAT(answer(), HasSubstr("; the leader, node-2_1234, may know more"));
}

TEST_F(WhyServiceTest, ControllerIsAskedWhatItWaitsForWithTheKey) {
  page_ = std::string("waits until its cache shows 2 creations\nwaits \x1b[31mfor red\n");

  const std::string text = answer();

  EXPECT_EQ(asked_, std::vector<std::string>{"pod-controller waits/shop/web"});
  EXPECT_THAT(text,
              HasSubstr("pod-controller shop/web: waits until its cache shows 2 creations\n"));
  EXPECT_THAT(text, HasSubstr("pod-controller shop/web: waits \\x1b[31mfor red\n"));
}

TEST_F(WhyServiceTest, PageThatIsAboutSomethingElseIsNotShown) {
  page_ = std::string("<h1>all about pods</h1>\nwaits\n\n");
  EXPECT_THAT(answer(), AllOf(HasSubstr("is off"), Not(HasSubstr("all about"))));
}

TEST_F(WhyServiceTest, LongPagesAreCut) {
  std::string line = "waits " + std::string(2000, 'x');
  page_ = line + "\n" + line + "\n" + line + "\n" + line + "\nwaits in vain\n";

  const std::string text = answer();

  EXPECT_THAT(text, HasSubstr("waits " + std::string(594, 'x') + "\n"));
  EXPECT_THAT(text, Not(HasSubstr("in vain")));
}

TEST_F(WhyServiceTest, ControllerWithoutSuchAPageSaysNothing) {
  page_ = Status(Code::kNotFound, "no debug page");
  EXPECT_THAT(answer(), Not(HasSubstr("debug page")));
  EXPECT_EQ(asked_.size(), 1U);
}

TEST_F(WhyServiceTest, AnObjectThatWentWithItsCollectionNamesTheSyncThatDeletedIt) {
  is_gone_ = true;
  asked_name_ = "db";
  acts("namespace-controller", "shop", "deletecollection", {"", "pods", "shop", ""});
  acts("namespace-controller", "other", "deletecollection", {"", "pods", "other", ""});

  const std::string text = answer();

  EXPECT_THAT(text, HasSubstr("pods db in namespace shop: davit deleted all pods of its namespace "
                              "at "));
  EXPECT_THAT(text, HasSubstr(": namespace-controller, sync of shop\n"));
}

TEST_F(WhyServiceTest, AnObjectThatIsGoneWithoutDavitSaysSo) {
  is_gone_ = true;
  acts("namespace-controller", "other", "deletecollection", {"", "pods", "other", ""});
  EXPECT_THAT(answer(), HasSubstr("pods web in namespace shop: the journal shows no deletion by "
                                  "davit; it reaches back to "));

  asked_name_ = "db";
  EXPECT_THAT(answer(), AllOf(HasSubstr("nothing known of pods db in namespace shop"),
                              HasSubstr(" and shows no deletion by davit")));
}

TEST_F(WhyServiceTest, OwnersOfAnObjectThatDavitNeverWroteComeFromTheServer) {
  has_owners_ = true;
  asked_name_ = "db";  // The journal knows nothing of it.

  EXPECT_THAT(answer(), HasSubstr("pods db in namespace shop\n"
                                  "  belongs to ReplicaSet web-1 of Rollout web\n"));
}

TEST_F(WhyServiceTest, AnObjectThatDavitDeletedSaysSo) {
  is_gone_ = true;
  acts("pod-controller", "shop/web", "delete", {"", "pods", "shop", "web"});

  EXPECT_THAT(answer(), HasSubstr("pods web in namespace shop: davit deleted it\n"));
}

TEST_F(WhyServiceTest, ControllerThatDoesNotRespondIsNamed) {
  page_ = Status(Code::kUnavailable, "the plugin has not responded yet");
  EXPECT_THAT(answer(), HasSubstr("pod-controller shop/web: may wait for more: the plugin has not "
                                  "responded yet\n"));
}

}  // namespace
}  // namespace davit::host
