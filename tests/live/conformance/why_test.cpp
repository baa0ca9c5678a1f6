/// `davit why` as an operator types it, for a rollout that a quota stops on a real API server.
#include <algorithm>
#include <optional>

#include "lib/kube/json.hpp"
#include "tests/live/conformance/fixture.hpp"

namespace davit::live {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class WhyLiveTest : public LiveTest {
 protected:
  /// A host whose controllers see what comes as events: each has worked once.
  std::unique_ptr<Process> start() {
    auto davit = cluster().davit({"--leader-elect=false", socket()});
    EXPECT_TRUE(eventually(kWaitLimit, [] {
      return run({DAVIT_PROGRAM, "ctl", "status", socket()}).code == 0;
    })) << davit->output();
    kubectl({"create", "deployment", "first", "--image=nginx:1", "--replicas=0"});
    EXPECT_TRUE(becomes("deployment/first", "{.status.observedGeneration}", "1"))
        << davit->output();
    EXPECT_TRUE(becomes("replicasets", "{.items[*].status.observedGeneration}", "1"))
        << davit->output();
    return davit;
  }

  /// From then on the API server refuses pods.
  void forbid_pods() {
    kubectl({"create", "quota", "none", "--hard=pods=0"});
    std::string refusal;
    EXPECT_TRUE(eventually(
        kWaitLimit,
        [&] {
          refusal = cluster()
                        .kubectl({"run", "probe", "--image=nginx:1", "--dry-run=server",
                                  "--namespace", ns()})
                        .err;
          return refusal.find("exceeded quota: none") != std::string::npos;
        },
        std::chrono::milliseconds(200)))
        << refusal;
  }

  static Outcome why(const std::string& object, const std::vector<std::string>& flags = {}) {
    std::vector<std::string> argv = {DAVIT_PROGRAM, "why", object, "--namespace", ns(), socket()};
    argv.insert(argv.end(), flags.begin(), flags.end());
    return run(argv, "", {"NO_COLOR=1"}, kWaitLimit);
  }

  /// The answer in JSON as soon as it says that `controller` waits for the end of a back-off.
  static Json why_in_back_off(const std::string& object, const std::string& controller) {
    Json answer;
    Outcome last;
    EXPECT_TRUE(eventually(
        kWaitLimit,
        [&] {
          last = why(object, {"--output", "json"});
          Result<Json> parsed = parse_json(last.out);
          if (last.code != 0 || !parsed) return false;
          answer = std::move(*parsed);
          const auto& now = answer.get("now").items();
          return std::any_of(now.begin(), now.end(), [&](const Json& each) {
            return each.text_at({"subject"}).starts_with(controller + " ") &&
                   each.text_at({"text"}).find("tries again in ") != std::string::npos;
          });
        },
        std::chrono::milliseconds(200)))
        << last.out << last.err;
    return answer;
  }

  /// The first write that `verb`s objects of `resource`, and its sync.
  struct FoundWrite {
    Json record;
    Json write;
  };
  static std::optional<FoundWrite> find_write(const Json& answer, const std::string& verb,
                                              const std::string& resource) {
    for (const Json& record : answer.get("records").items()) {
      for (const Json& write : record.get("writes").items()) {
        const bool is_it = write.text_at({"verb"}) == verb &&
                           write.text_at({"resource"}) == resource &&
                           write.text_at({"subresource"}).empty();
        if (is_it) return FoundWrite{record, write};
      }
    }
    ADD_FAILURE() << "no " << verb << " of " << resource << " in " << to_text(answer);
    return std::nullopt;
  }

 private:
  static std::string socket() {
    return "--control-socket=" + (cluster().scratch() / "why.sock").string();
  }
};

/// The first cause of a sync is an object that was added.
void expect_added(const Json& record, const std::string& resource, const std::string& name,
                  const std::string& version) {
  ASSERT_GE(record.get("because").size(), 1U) << to_text(record);
  const Json& cause = record.get("because").items().front();
  EXPECT_EQ(cause.text_at({"kind"}), "added");
  EXPECT_EQ(cause.text_at({"group"}), "apps");
  EXPECT_EQ(cause.text_at({"resource"}), resource);
  EXPECT_EQ(cause.text_at({"name"}), name);
  EXPECT_EQ(cause.text_at({"resourceVersion"}), version);
}

TEST_F(WhyLiveTest, ARolloutThatAQuotaStopsIsExplained) {
  const auto davit = start();
  forbid_pods();
  const std::string version =
      cluster().must({"create", "deployment", "web", "--image=nginx:1", "--replicas=2",
                      "--namespace", ns(), "--output", "jsonpath={.metadata.resourceVersion}"});
  ASSERT_TRUE(becomes("deployment/web",
                      "{.status.conditions[?(@.type==\"ReplicaFailure\")].status}", "True"))
      << davit->output();

  const Json answer = why_in_back_off("deployment/web", "replicaset-controller");

  EXPECT_EQ(answer.text_at({"object", "kind"}), "Deployment");
  EXPECT_EQ(answer.text_at({"object", "name"}), "web");
  const std::optional<FoundWrite> made = find_write(answer, "create", "replicasets");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->record.text_at({"controller"}), "deployment-controller");
  EXPECT_EQ(made->record.get("generation").integer_or(0), 1);
  EXPECT_EQ(made->record.text_at({"key"}), ns() + "/web");
  expect_added(made->record, "deployments", "web", version);
  EXPECT_EQ(made->write.get("status").integer_or(0), 201);
  const std::string set = made->write.text_at({"name"});
  EXPECT_THAT(set, StartsWith("web-"));

  const std::optional<FoundWrite> refused = find_write(answer, "create", "pods");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->record.text_at({"controller"}), "replicaset-controller");
  EXPECT_EQ(refused->record.text_at({"key"}), ns() + "/" + set);
  expect_added(refused->record, "replicasets", set, made->write.text_at({"resourceVersion"}));
  EXPECT_EQ(refused->write.get("status").integer_or(0), 403);
  EXPECT_EQ(refused->write.text_at({"reason"}), "Forbidden");
  EXPECT_THAT(refused->write.text_at({"message"}), HasSubstr("exceeded quota: none"));
  EXPECT_EQ(refused->write.text_at({"owner", "name"}), set);

  const Outcome text = why("deploy/web");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(
      text.out,
      AllOf(HasSubstr("condition ReplicaFailure is True: FailedCreate: pods "),
            HasSubstr("deployment-controller (generation 1) sync of " + ns() + "/web,"),
            HasSubstr("because deployments web was added (resourceVersion " + version + ")"),
            HasSubstr("→ create replicasets " + set + ": 201, resourceVersion "),
            HasSubstr("→ create pods " + set + "-"), HasSubstr(": 403 Forbidden: pods "),
            HasSubstr("again after a back-off")));
}

TEST_F(WhyLiveTest, AnObjectThatNeverWasIsAnError) {
  const auto davit = start();

  const Outcome nothing = why("deployment/nothing");
  EXPECT_EQ(nothing.code, 1) << nothing.out;
  EXPECT_EQ(nothing.out, "");
  EXPECT_THAT(nothing.err, HasSubstr("nothing known of deployments.apps nothing in namespace " +
                                     ns() + "; the journal reaches back to 20"));
  const Outcome kind = why("dragon/smaug");
  EXPECT_EQ(kind.code, 1) << kind.out;
  EXPECT_THAT(kind.err, HasSubstr("the server has no resource \"dragon\""));
}

}  // namespace
}  // namespace davit::live
