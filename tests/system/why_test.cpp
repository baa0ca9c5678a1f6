// The journal in a whole host: what it keeps of a rollout, and what `davit why` says of one that
// does not move.
#include <davit/abi.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "host/journal/journal_json.hpp"
#include "tests/system/whole_host.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

class WhyInHostTest : public testing::Test, protected WholeHost {
 protected:
  WhyInHostTest() : WholeHost(2) {}
  void begin() {
    start({.directories = {DAVIT_DEPLOYMENT_DIRECTORY, DAVIT_REPLICASET_DIRECTORY},
           .controllers = {"*"}});
    // Once the controller has seen it, the caches are filled: what comes now is an event.
    std::string first = web_deployment(0);
    first.replace(first.find("\"web\""), 5, "\"first\"");
    send(Verb::kCreate, deployment(""), first);
    await(deployment(""), [](WatchType, const Json& object) {
      return object.at({"status", "observedGeneration"}) != nullptr;
    });
  }
  void roll_out() {
    send(Verb::kCreate, deployment(""), web_deployment(3));
    await(deployment(""), rolled_out(3));
  }
  [[nodiscard]] std::vector<WorkRecord> records(const std::string& controller) {
    const ControllerJournal* const journal = host().journal().find(controller);
    return journal == nullptr ? std::vector<WorkRecord>() : journal->recent(1000);
  }
  /// Waits until the journal has a sync of `controller` that failed. Its record is written after
  /// what it wrote can be seen.
  void await_failed_sync(const std::string& controller) {
    const auto has_failed = [](const WorkRecord& record) { return record.code != DAVIT_OK; };
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (std::chrono::steady_clock::now() < end) {
      if (std::ranges::any_of(records(controller), has_failed)) return;
      std::this_thread::yield();
    }
    FAIL() << "no sync of " << controller << " failed";
  }
};

TEST_F(WhyInHostTest, JournalHasEachWriteOfARolloutWithItsCause) {
  begin();
  roll_out();

  int creates = 0;
  for (const WorkRecord& record : records("replicaset-controller")) {
    if (record.key.find("first") != record.key.npos) continue;
    EXPECT_THAT(record.key, HasSubstr("default/web-"));
    EXPECT_EQ(record.generation, 1U);
    for (const Write& write : record.writes) {
      if (write.verb != "create") continue;
      ++creates;
      EXPECT_EQ(write.object.resource, "pods");
      EXPECT_EQ(write.object.ns, "default");
      EXPECT_THAT(write.object.name, testing::StartsWith("web-"));
      EXPECT_EQ(write.owner_kind, "ReplicaSet");
      EXPECT_EQ("default/" + write.owner_name, record.key);
      EXPECT_EQ(write.http_status, 201);
      EXPECT_NE(write.version, "");
      ASSERT_FALSE(record.wakes.empty());
      EXPECT_EQ(record.wakes[0].object.resource, "replicasets");
      EXPECT_NE(record.wakes[0].version, "");
    }
  }
  EXPECT_EQ(creates, 3);
  const std::vector<WorkRecord> deployment = records("deployment-controller");
  ASSERT_FALSE(deployment.empty());
  const auto of_web = std::find_if(deployment.rbegin(), deployment.rend(),
                                   [](const auto& each) { return each.key == "default/web"; });
  ASSERT_NE(of_web, deployment.rend());
  const WorkRecord& first = *of_web;
  ASSERT_FALSE(first.wakes.empty());
  EXPECT_EQ(first.wakes[0].object.resource, "deployments");
  EXPECT_TRUE(std::any_of(first.writes.begin(), first.writes.end(), [](const Write& each) {
    return each.verb == "create" && each.owner_kind == "Deployment" && each.owner_name == "web";
  }));
}

TEST_F(WhyInHostTest, AnswerSaysWhichPodCannotStartAndThatTheControllersWait) {
  begin();
  std::string broken = web_deployment(1);
  const std::string at = "\"metadata\":{\"labels\"";
  ASSERT_NE(broken.find(at), std::string::npos) << broken;
  broken.insert(broken.find(at) + at.size() - 8,
                R"("annotations":{"sandbox.davit.dev/image-pull":"fail"},)");
  send(Verb::kCreate, deployment(""), broken);
  ResourcePath pods = deployment("");
  pods.group = "";
  pods.resource = "pods";
  await(pods, [](WatchType, const Json& pod) {
    const Json* const statuses = pod.at({"status", "containerStatuses"});
    return statuses != nullptr && to_text(*statuses).find("ImagePullBackOff") != std::string::npos;
  });

  await(deployment(""), [](WatchType, const Json& web) {
    const Json* const updated = web.at({"status", "updatedReplicas"});
    return updated != nullptr && updated->integer_or(0) == 1;
  });

  const Result<std::string> answer = host().why().respond({.object = "deploy/web"});

  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_THAT(*answer, HasSubstr("deployments.apps web in namespace default"));
  EXPECT_THAT(*answer, HasSubstr("container web waits: ImagePullBackOff"));
  EXPECT_THAT(*answer, HasSubstr("wants 1 replicas, has 1"));
  EXPECT_THAT(*answer, HasSubstr("→ create replicasets web-"));
  EXPECT_THAT(*answer, HasSubstr("→ create pods web-"));
  EXPECT_THAT(*answer, HasSubstr("because deployments web was added (resourceVersion "));
  EXPECT_THAT(*answer, HasSubstr("deployment-controller default/web: "));
}

TEST_F(WhyInHostTest, AnswerNamesTheQuotaThatForbidsPodsAndTheBackOff) {
  begin();
  ResourcePath quotas = deployment("");
  quotas.group = "";
  quotas.resource = "resourcequotas";
  send(Verb::kCreate, quotas,
       R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"none"},)"
       R"("spec":{"hard":{"pods":"0"}},"status":{"hard":{"pods":"0"},"used":{"pods":"0"}}})");
  quotas.name = "none";
  quotas.subresource = "status";
  send(Verb::kPatch, quotas, R"({"status":{"hard":{"pods":"0"},"used":{"pods":"0"}}})");
  send(Verb::kCreate, deployment(""), web_deployment(2));
  await(deployment(""), [](WatchType, const Json& web) {
    return to_text(web).find("ReplicaFailure") != std::string::npos;
  });
  await_failed_sync("replicaset-controller");

  const Result<std::string> answer = host().why().respond({.object = "Deployment/web"});

  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_THAT(*answer, HasSubstr("exceeded quota"));
  EXPECT_THAT(*answer, HasSubstr("403 Forbidden"));
  EXPECT_THAT(*answer, HasSubstr("condition ReplicaFailure is True: FailedCreate"));
  EXPECT_THAT(*answer, HasSubstr("replicaset-controller default/web-"));
  const Result<std::string> timeline =
      host().why().respond({.object = "deploy/web", .output = WhyRequest::Output::kTimeline});
  ASSERT_TRUE(timeline);
  EXPECT_THAT(*timeline, HasSubstr("✗ 403"));
  const Result<std::string> json =
      host().why().respond({.object = "deploy/web", .output = WhyRequest::Output::kJson});
  ASSERT_TRUE(json);
  const Result<Json> parsed = parse_json(*json);
  ASSERT_TRUE(parsed) << *json;
  EXPECT_EQ(parsed->text_at({"object", "kind"}), "Deployment");
  EXPECT_GT(parsed->get("records").size(), 1U);
}

TEST_F(WhyInHostTest, ObjectThatNeverWasIsAnErrorThatSaysHowFarTheJournalReaches) {
  begin();
  roll_out();

  for (const char* const name : {"deployment/nothing", "po/\x1b[31m\xff", "deploy/../etc"}) {
    const Result<std::string> answer = host().why().respond({.object = name});
    ASSERT_FALSE(answer) << *answer;
    EXPECT_EQ(answer.error().message().find('\x1b'), std::string::npos);
  }
  const Result<std::string> nothing = host().why().respond({.object = "deployment/nothing"});
  EXPECT_EQ(nothing.error().code(), Code::kNotFound);
  EXPECT_THAT(nothing.error().message(),
              HasSubstr("nothing known of deployments.apps nothing in namespace default; the "
                        "journal reaches back to 20"));
  const Result<std::string> kind = host().why().respond({.object = "dragon/smaug"});
  EXPECT_EQ(kind.error().message(), "the server has no resource \"dragon\"");
  EXPECT_EQ(host().why().respond({.object = "web"}).error().code(), Code::kInvalid);
}

TEST_F(WhyInHostTest, JournalSurvivesASwapAndShowsBothGenerations) {
  begin();
  roll_out();

  ASSERT_TRUE(host().plugins().swap({.plugin = "deployment", .file = {}}).ok());
  send(Verb::kPatch, deployment("web"), kSecondImage);
  await(deployment(""), rolled_out(3));

  const Result<std::string> answer = host().why().respond({.object = "deploy/web"});
  ASSERT_TRUE(answer);
  EXPECT_THAT(*answer, HasSubstr("deployment-controller (generation 1) sync of default/web"));
  EXPECT_THAT(*answer, HasSubstr("deployment-controller (generation 2) sync of default/web"));
}

}  // namespace
}  // namespace davit::host
