// Webhooks on stored objects. The words are those of kube-apiserver v1.36.2.
#include <gtest/gtest.h>

#include <chrono>
#include <davit/base64.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/mutex.hpp"
#include "sandbox/webhook/hook_connector.hpp"
#include "tests/sandbox/server/sandbox.hpp"
#include "tests/support/fake_transport.hpp"

namespace davit::sandbox {
namespace {

const std::string kHookedMaps = "/api/v1/namespaces/default/configmaps";
const std::string kHookGroup = "/apis/admissionregistration.k8s.io/v1/";

/// The response of a webhook: members of AdmissionReview.response beside its uid.
std::string allowed_with(const std::string& patch) {
  return R"({"allowed":true,"patchType":"JSONPatch","patch":")" + encode_base64(patch) + "\"}";
}

/// The servers of all webhooks, which respond by the path of the request. Its calls are recorded.
class FakeHooks final : public HookConnector {
 public:
  using Respond = std::function<std::string(const std::string& path, const Json& request)>;

  explicit FakeHooks(Respond respond) {
    transport_.set_script([this, respond = std::move(respond)](const HttpRequest& request) {
      const Json review = json_literal(request.body);
      const std::string path = request.target.substr(0, request.target.find('?'));
      calls.push_back(path);
      reviews.push_back(review);
      Json response = json_literal(respond(path, review.get("request")));
      response.set("uid", review.get("request").get("uid"));
      test::ScriptedResponse out;
      out.body = to_text(Json::object({{"kind", "AdmissionReview"},
                                       {"apiVersion", review.get("apiVersion")},
                                       {"response", std::move(response)}}));
      return out;
    });
  }

  [[nodiscard]] Result<std::shared_ptr<Transport>> connect(const HookServer& server) override {
    const MutexLock lock(mutex_);
    servers.push_back(server);
    return std::shared_ptr<Transport>(std::shared_ptr<void>(), &transport_);
  }

  std::vector<std::string> calls;
  std::vector<Json> reviews;
  std::vector<HookServer> servers;

 private:
  test::FakeTransport transport_;
  Mutex mutex_;  // Each request connects on its thread.
};

ApiServerOptions with_hooks(HookConnector& hooks) {
  ApiServerOptions options;
  options.webhooks = &hooks;
  options.hook_thread = ApiServerOptions::HookThread::kCaller;
  return options;
}

/// A webhook for ConfigMaps whose server is asked at `path`. `more`: further members.
std::string hook_of(const std::string& name, const std::string& path,
                    const std::string& more = "") {
  return R"({"name":")" + name + R"(.ex.io","clientConfig":{"url":"https://127.0.0.1:1/)" + path +
         R"("},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["*"],)"
         R"("resources":["configmaps","bindings"]}],"sideEffects":"None",)"
         R"("admissionReviewVersions":["v1"])" +
         more + '}';
}

void configure(Sandbox& sandbox, const std::string& plural, const std::string& hooks) {
  const Reply made = sandbox.post(kHookGroup + plural,
                                  R"({"metadata":{"name":"hooks"},"webhooks":[)" + hooks + "]}");
  ASSERT_EQ(made.code, 201) << made.text;
}
void validate_by(Sandbox& sandbox, const std::string& hooks) {
  configure(sandbox, "validatingwebhookconfigurations", hooks);
}
void mutate_by(Sandbox& sandbox, const std::string& hooks) {
  configure(sandbox, "mutatingwebhookconfigurations", hooks);
}

const std::string kHookedMap = R"({"metadata":{"name":"m"},"data":{"a":"x"}})";

std::string allow(const std::string&, const Json&) { return R"({"allowed":true})"; }

TEST(WebhookTest, ARefusedObjectIsNotStored) {
  FakeHooks hooks([](const std::string&, const Json&) {
    return R"({"allowed":false,"warnings":["w"],
               "status":{"message":"no way","code":403,"reason":"Forbidden"}})";
  });
  Sandbox sandbox(with_hooks(hooks));
  validate_by(sandbox, hook_of("h", "deny"));

  const Reply refused = sandbox.post(kHookedMaps, kHookedMap);

  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(refused.reason(), "Forbidden");
  EXPECT_EQ(refused.message(), R"(admission webhook "h.ex.io" denied the request: no way)");
  EXPECT_EQ(refused.headers.back().second, R"(299 - "w")");
  EXPECT_EQ(sandbox.get(kHookedMaps + "/m").code, 404);
}

TEST(WebhookTest, TheReviewShowsTheWrite) {
  FakeHooks hooks(allow);
  Sandbox sandbox(with_hooks(hooks));
  validate_by(sandbox, hook_of("h", "v", R"(,"timeoutSeconds":7)"));
  ASSERT_EQ(sandbox.post(kHookedMaps, kHookedMap).code, 201);
  ASSERT_EQ(sandbox.put(kHookedMaps + "/m?dryRun=All", R"({"metadata":{"name":"m"}})").code, 200);
  ASSERT_EQ(sandbox.remove(kHookedMaps + "/m").code, 200);

  ASSERT_EQ(hooks.reviews.size(), 3U);
  const Json& update = hooks.reviews[1].get("request");
  EXPECT_EQ(hooks.reviews[1].text_at({"apiVersion"}), "admission.k8s.io/v1");
  EXPECT_EQ(update.get("operation").text(), "UPDATE");
  EXPECT_EQ(update.get("name").text(), "m");
  EXPECT_EQ(update.get("namespace").text(), "default");
  EXPECT_TRUE(update.get("dryRun").boolean());
  EXPECT_FALSE(update.get("object").contains("data"));
  EXPECT_EQ(update.text_at({"oldObject", "data", "a"}), "x");
  EXPECT_EQ(update.text_at({"userInfo", "username"}), "system:admin");
  EXPECT_EQ(update.text_at({"options", "kind"}), "UpdateOptions");
  EXPECT_EQ(hooks.reviews[2].get("request").get("operation").text(), "DELETE");
  EXPECT_TRUE(hooks.reviews[2].get("request").get("object").is_null());
  EXPECT_EQ(hooks.servers.front().url, "https://127.0.0.1:1");
}

TEST(WebhookTest, APatchChangesWhatIsStoredAndWhatLaterHooksSee) {
  FakeHooks hooks([](const std::string& path, const Json& request) -> std::string {
    if (path != "/patch") {
      return request.text_at({"object", "data", "b"}) == "y" ? R"({"allowed":true})"
                                                             : R"({"allowed":false})";
    }
    return allowed_with(R"([{"op":"add","path":"/data/b","value":"y"}])");
  });
  Sandbox sandbox(with_hooks(hooks));
  mutate_by(sandbox, hook_of("m", "patch") + ',' + hook_of("n", "see"));
  validate_by(sandbox, hook_of("v", "check"));

  const Reply made = sandbox.post(kHookedMaps, kHookedMap);

  EXPECT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(sandbox.get(kHookedMaps + "/m").body.text_at({"data", "b"}), "y");
  EXPECT_EQ(hooks.calls, (std::vector<std::string>{"/patch", "/see", "/check"}));
}

TEST(WebhookTest, OnlyHooksThatAskForItAreCalledAgainAfterALaterChange) {
  FakeHooks hooks([](const std::string& path, const Json& request) -> std::string {
    const std::string seen = request.text_at({"object", "data", "seen"});
    if (path == "/label") {
      return allowed_with(R"([{"op":"add","path":"/metadata/labels","value":{"a":"b"}}])");
    }
    return allowed_with(R"([{"op":"add","path":"/data/seen","value":")" + seen + "+\"}]");
  });
  Sandbox sandbox(with_hooks(hooks));
  const std::string again = R"(,"reinvocationPolicy":"IfNeeded")";
  mutate_by(sandbox, hook_of("a", "append", again) + ',' + hook_of("b", "append", again) + ',' +
                         hook_of("c", "label"));

  ASSERT_EQ(sandbox.post(kHookedMaps, kHookedMap).code, 201);

  EXPECT_EQ(sandbox.get(kHookedMaps + "/m").body.text_at({"data", "seen"}), "++++");
  EXPECT_EQ(hooks.calls.size(), 5U);
}

TEST(WebhookTest, APatchOutOfBoundsRefusesTheWrite) {
  const std::string patches[] = {R"([{"op":"add","path":"/metadata/finalizers/9","value":"x"}])",
                                 R"([{"op":"replace","path":"/spec/a/b/c","value":1}])",
                                 R"([{"op":"remove","path":""}])",
                                 R"([{"op":"leap","path":"/data"}])",
                                 R"([{"op":"add","path":"data","value":1}])",
                                 R"([1])",
                                 R"({"op":"remove"})"};
  for (const std::string& patch : patches) {
    FakeHooks hooks([&patch](const std::string&, const Json&) { return allowed_with(patch); });
    Sandbox sandbox(with_hooks(hooks));
    mutate_by(sandbox, hook_of("h", "patch"));

    const Reply refused = sandbox.post(
        kHookedMaps, R"({"metadata":{"name":"m","finalizers":["ex.io/a"]},"data":{"a":"x"}})");

    EXPECT_EQ(refused.code, 500) << patch << refused.text;
    EXPECT_EQ(refused.reason(), "InternalError") << patch;
    EXPECT_EQ(sandbox.get(kHookedMaps + "/m").code, 404) << patch;
  }
}

TEST(WebhookTest, AHookThatAlwaysChangesIsCalledTwiceAtMost) {
  FakeHooks hooks([](const std::string& path, const Json& request) -> std::string {
    const std::string seen = request.text_at({"object", "data", "seen"});
    return allowed_with(R"([{"op":"add","path":"/data/seen","value":")" + seen + path + "\"}]");
  });
  Sandbox sandbox(with_hooks(hooks));
  const std::string again = R"(,"reinvocationPolicy":"IfNeeded")";
  mutate_by(sandbox, hook_of("a", "a", again) + ',' + hook_of("b", "b", again));

  ASSERT_EQ(sandbox.post(kHookedMaps, kHookedMap).code, 201);

  // In the second pass the first one changes the object again, so the second one runs after it.
  EXPECT_EQ(hooks.calls, (std::vector<std::string>{"/a", "/b", "/a", "/b"}));
}

TEST(WebhookTest, AllHooksOfAWriteHaveOneDeadline) {
  const std::vector<std::pair<std::string, std::string>> messages = {
      {"",
       "Timeout: request did not complete within requested timeout - context deadline exceeded"},
      {"?timeout=25s", "Timeout: request did not complete within the allotted timeout"},
      {"?timeout=15s", "Timeout: request did not complete within the allotted timeout"}};
  for (const auto& [query, message] : messages) {
    Sandbox* running = nullptr;
    FakeHooks hooks([&running](const std::string&, const Json&) {
      running->clock.advance(std::chrono::seconds(20));
      return R"({"allowed":true})";
    });
    Sandbox sandbox(with_hooks(hooks));
    running = &sandbox;
    const std::string slow = R"(,"timeoutSeconds":30,"failurePolicy":"Ignore")";
    mutate_by(sandbox, hook_of("a", "a", slow) + ',' + hook_of("b", "b", slow));
    validate_by(sandbox, hook_of("c", "c", slow));

    const Reply refused = sandbox.post(kHookedMaps + query, kHookedMap);

    EXPECT_EQ(refused.code, 504);
    EXPECT_EQ(refused.reason(), "Timeout");
    EXPECT_EQ(refused.message(), message);
    EXPECT_EQ(hooks.calls.size(), query == "?timeout=15s" ? 1U : 2U);
    EXPECT_EQ(sandbox.get(kHookedMaps + "/m").code, 404);
  }
}

TEST(WebhookTest, TheHooksOfACollectionThatIsDeletedHaveTheTimeOfTheRequest) {
  Sandbox* running = nullptr;
  FakeHooks hooks([&running](const std::string&, const Json&) {
    running->clock.advance(std::chrono::seconds(20));
    return R"({"allowed":true})";
  });
  Sandbox sandbox(with_hooks(hooks));
  running = &sandbox;
  for (const std::string name : {"a", "b", "c", "d"}) {
    ASSERT_EQ(sandbox.post(kHookedMaps, R"({"metadata":{"name":")" + name + "\"}}").code, 201);
  }
  validate_by(sandbox, hook_of("h", "h", R"(,"timeoutSeconds":30)"));

  const Reply refused = sandbox.remove(kHookedMaps);

  EXPECT_EQ(refused.code, 504) << refused.text;
  EXPECT_EQ(refused.message(), "Timeout: request did not complete within the allotted timeout");
  EXPECT_EQ(sandbox.get(kHookedMaps + "/b").code, 404);
  EXPECT_EQ(sandbox.get(kHookedMaps + "/c").code, 200);
}

TEST(WebhookTest, AConfigurationThatAppearsBetweenThePassesMovesNoKeys) {
  Sandbox* running = nullptr;
  const std::string again = R"(,"reinvocationPolicy":"IfNeeded")";
  FakeHooks hooks([&](const std::string& path, const Json&) -> std::string {
    if (path == "/last" && running != nullptr) {
      Sandbox& sandbox = *std::exchange(running, nullptr);
      EXPECT_EQ(sandbox
                    .post(kHookGroup + "mutatingwebhookconfigurations",
                          R"({"metadata":{"name":"before"},"webhooks":[)" +
                              hook_of("n", "new", again) + "]}")
                    .code,
                201);
    }
    return allowed_with(R"([{"op":"add","path":"/data/)" + path.substr(1) + R"(","value":"y"}])");
  });
  Sandbox sandbox(with_hooks(hooks));
  running = &sandbox;
  mutate_by(sandbox, hook_of("a", "first", again) + ',' + hook_of("b", "last"));

  ASSERT_EQ(sandbox.post(kHookedMaps, kHookedMap).code, 201);

  EXPECT_EQ(hooks.calls, (std::vector<std::string>{"/first", "/last", "/first"}));
}

TEST(WebhookTest, AFailedCallRefusesTheWriteUnlessThePolicyIgnoresIt) {
  for (const bool ignores : {false, true}) {
    FakeHooks hooks([](const std::string&, const Json&) { return "{}"; });
    Sandbox sandbox(with_hooks(hooks));
    const std::string policy = ignores ? R"(,"failurePolicy":"Ignore")" : "";
    validate_by(sandbox, hook_of("h", "x", R"(,"admissionReviewVersions":["v1"])" + policy));
    mutate_by(sandbox,
              R"({"name":"s.ex.io","clientConfig":{"service":{"name":"s","namespace":"default"}},)"
              R"("rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["*"],)"
              R"("resources":["configmaps"]}],"sideEffects":"None",)"
              R"("admissionReviewVersions":["v1"])" +
                  policy + '}');

    const Reply reply = sandbox.post(kHookedMaps, kHookedMap);

    if (ignores) {
      // The validating hook's response allows nothing, which is a refusal, not a failure.
      EXPECT_EQ(reply.message(),
                R"(admission webhook "h.ex.io" denied the request without explanation)");
      continue;
    }
    EXPECT_EQ(reply.code, 500);
    EXPECT_EQ(reply.reason(), "InternalError");
    EXPECT_EQ(reply.message(),
              "Internal error occurred: failed calling webhook \"s.ex.io\": failed to call "
              "webhook: Post \"https://s.default.svc:443?timeout=10s\": service \"s\" not found");
  }
}

TEST(WebhookTest, AServiceOfTypeExternalNameIsReached) {
  FakeHooks hooks(allow);
  Sandbox sandbox(with_hooks(hooks));
  ASSERT_EQ(sandbox
                .post("/api/v1/namespaces/default/services",
                      R"({"metadata":{"name":"s"},"spec":{"type":"ExternalName",)"
                      R"("externalName":"localhost"}})")
                .code,
            201);
  validate_by(sandbox,
              R"({"name":"s.ex.io","clientConfig":{"service":{"name":"s","namespace":"default",)"
              R"("port":9443,"path":"/v"}},"rules":[{"apiGroups":[""],"apiVersions":["v1"],)"
              R"("operations":["*"],"resources":["configmaps"]}],"sideEffects":"None",)"
              R"("admissionReviewVersions":["v1"]})");

  ASSERT_EQ(sandbox.post(kHookedMaps, kHookedMap).code, 201);

  ASSERT_EQ(hooks.servers.size(), 1U);
  EXPECT_EQ(hooks.servers[0].url, "https://localhost:9443");
  EXPECT_EQ(hooks.servers[0].server_name, "s.default.svc");
  EXPECT_EQ(hooks.calls, std::vector<std::string>{"/v"});
}

TEST(WebhookTest, ConditionsAndSelectorsChooseTheWrites) {
  FakeHooks hooks([](const std::string&, const Json&) { return R"({"allowed":false})"; });
  Sandbox sandbox(with_hooks(hooks));
  validate_by(sandbox,
              hook_of("c", "c",
                      R"(,"matchConditions":[{"name":"a","expression":"object.data.a == 'x'"}],)"
                      R"("objectSelector":{"matchLabels":{"a":"b"}})"));
  const auto post = [&](const std::string& more) {
    return sandbox.post(kHookedMaps + "?dryRun=All",
                        R"({"metadata":{"name":"m","labels":{"a":"b"}})" + more + '}');
  };

  EXPECT_EQ(post(R"(,"data":{"a":"x"})").code, 400);
  EXPECT_EQ(post(R"(,"data":{"a":"y"})").code, 201);
  EXPECT_EQ(sandbox.post(kHookedMaps + "?dryRun=All", kHookedMap).code, 201);
  const Reply error = post("");
  EXPECT_EQ(error.code, 403);
  EXPECT_EQ(error.message(),
            "configmaps \"m\" is forbidden: expression 'object.data.a == 'x'' resulted in error: "
            "no such key: data");
}

TEST(WebhookTest, AHookWithoutSideEffectsIsCalledInDryRuns) {
  FakeHooks hooks(allow);
  Sandbox sandbox(with_hooks(hooks));
  ASSERT_EQ(sandbox
                .post(kHookGroup + "validatingwebhookconfigurations",
                      R"({"metadata":{"name":"hooks"},"webhooks":[)" + hook_of("h", "v") + "]}")
                .code,
            201);
  ASSERT_EQ(sandbox.post(kHookedMaps + "?dryRun=All", kHookedMap).code, 201);
  EXPECT_EQ(hooks.calls.size(), 1U);
}

TEST(WebhookTest, APatchOfADeletionIsAnError) {
  FakeHooks hooks([](const std::string&, const Json&) {
    return allowed_with(R"([{"op":"add","path":"/data/b","value":"y"}])");
  });
  Sandbox sandbox(with_hooks(hooks));
  ASSERT_EQ(sandbox.post(kHookedMaps, kHookedMap).code, 201);
  mutate_by(sandbox, hook_of("m", "patch"));

  const Reply reply = sandbox.remove(kHookedMaps + "/m");

  EXPECT_EQ(reply.code, 500);
  EXPECT_EQ(reply.message(),
            "Internal error occurred: admission webhook \"m.ex.io\" attempted to modify the "
            "object, which is not supported for this operation");
  EXPECT_EQ(sandbox.get(kHookedMaps + "/m").code, 200);
}

TEST(WebhookTest, ConfigurationsOfWebhooksAreNotJudgedByWebhooks) {
  FakeHooks hooks([](const std::string&, const Json&) { return R"({"allowed":false})"; });
  Sandbox sandbox(with_hooks(hooks));
  validate_by(sandbox,
              R"({"name":"all.ex.io","clientConfig":{"url":"https://127.0.0.1:1"},)"
              R"("rules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],)"
              R"("resources":["*/*"]}],"sideEffects":"None","admissionReviewVersions":["v1"]})");

  EXPECT_EQ(sandbox.post(kHookedMaps, kHookedMap).code, 400);
  EXPECT_EQ(sandbox.remove(kHookGroup + "validatingwebhookconfigurations/hooks").code, 200);
  EXPECT_EQ(sandbox.post(kHookedMaps, kHookedMap).code, 201);
}

TEST(WebhookTest, AWebhookChangesNeitherNamespaceNorAge) {
  FakeHooks hooks([](const std::string&, const Json& request) {
    const bool creates = request.get("operation").text() == "CREATE";
    return allowed_with(creates ? R"([{"op":"replace","path":"/metadata/namespace","value":"b"}])"
                                : R"([{"op":"replace","path":"/metadata/creationTimestamp",)"
                                  R"("value":"2001-01-01T00:00:00Z"}])");
  });
  Sandbox sandbox(with_hooks(hooks));
  const std::string age =
      sandbox.post(kHookedMaps, kHookedMap).body.text_at({"metadata", "creationTimestamp"});
  mutate_by(sandbox, hook_of("h", "m"));

  const Reply moved = sandbox.post(kHookedMaps, R"({"metadata":{"name":"other"}})");
  const Reply updated = sandbox.put(kHookedMaps + "/m", R"({"metadata":{"name":"m"}})");

  EXPECT_EQ(moved.code, 400);
  EXPECT_EQ(moved.message(),
            "the namespace of the provided object does not match the namespace sent on the "
            "request");
  ASSERT_EQ(updated.code, 200) << updated.text;
  EXPECT_EQ(updated.body.text_at({"metadata", "creationTimestamp"}), age);
  EXPECT_EQ(hooks.calls.size(), 2U);
}

/// A webhook for `resources` of any group.
std::string hook_for(const std::string& resources, const std::string& path) {
  return R"({"name":"h.ex.io","clientConfig":{"url":"https://127.0.0.1:1/)" + path +
         R"("},"rules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":[")" +
         resources + R"("]}],"sideEffects":"None","admissionReviewVersions":["v1"]})";
}

TEST(WebhookTest, AScaleIsChangedBeforeItsReplicasCount) {
  FakeHooks hooks([](const std::string&, const Json&) {
    return allowed_with(R"([{"op":"replace","path":"/spec/replicas","value":7}])");
  });
  Sandbox sandbox(with_hooks(hooks));
  const std::string path = "/apis/apps/v1/namespaces/default/deployments";
  ASSERT_EQ(sandbox
                .post(path, R"({"metadata":{"name":"d"},"spec":{"replicas":1,"selector":{
                    "matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
                    "spec":{"containers":[{"name":"c","image":"i"}]}}}})")
                .code,
            201);
  mutate_by(sandbox, hook_for("deployments/scale", "scale"));

  const Reply patched = sandbox.patch(path + "/d/scale", "merge", R"({"spec":{"replicas":3}})");
  const Reply put =
      sandbox.put(path + "/d/scale", R"({"metadata":{"name":"d"},"spec":{"replicas":4}})");

  EXPECT_EQ(patched.code, 200) << patched.text;
  EXPECT_EQ(patched.body.get("spec").get("replicas").integer_or(0), 7);
  EXPECT_EQ(put.body.get("spec").get("replicas").integer_or(0), 7) << put.text;
  EXPECT_EQ(sandbox.get(path + "/d").body.get("spec").get("replicas").integer_or(0), 7);
  ASSERT_EQ(hooks.reviews.size(), 2U);
  const Json& request = hooks.reviews[0].get("request");
  EXPECT_EQ(request.text_at({"object", "kind"}), "Scale");
  EXPECT_EQ(request.get("object").get("spec").get("replicas").integer_or(0), 3);
  EXPECT_EQ(request.get("oldObject").get("spec").get("replicas").integer_or(0), 1);
  EXPECT_EQ(request.get("subResource").text(), "scale");
}

TEST(WebhookTest, AnEvictionHasTheOptionsThatWebhooksGiveIt) {
  FakeHooks hooks([](const std::string&, const Json&) {
    return allowed_with(R"([{"op":"add","path":"/deleteOptions","value":{"dryRun":["All"]}}])");
  });
  Sandbox sandbox(with_hooks(hooks));
  const std::string pods = "/api/v1/namespaces/default/pods";
  ASSERT_EQ(sandbox
                .post(pods, R"({"metadata":{"name":"p"},"spec":{"containers":[
                    {"name":"c","image":"i"}]}})")
                .code,
            201);
  mutate_by(sandbox, hook_for("pods/eviction", "evict"));

  const Reply evicted = sandbox.post(pods + "/p/eviction", R"({"metadata":{"name":"p"}})");

  EXPECT_EQ(evicted.code, 201) << evicted.text;
  EXPECT_EQ(sandbox.get(pods + "/p").code, 200) << "a dry run";
}

TEST(WebhookTest, AConnectionIsJudgedByItsOptions) {
  FakeHooks hooks([](const std::string&, const Json&) { return R"({"allowed":false})"; });
  Sandbox sandbox(with_hooks(hooks));
  const std::string pod = "/api/v1/namespaces/default/pods/p";
  validate_by(sandbox, hook_for("pods/*", "connect"));

  const Reply exec = sandbox.post(pod + "/exec?command=ls&command=-l&container=c&stdin=true", "");
  const Reply attach = sandbox.get(pod + "/attach");
  const Reply forward = sandbox.get(pod + "/portforward?ports=80&ports=81");
  const Reply proxy = sandbox.get(pod + "/proxy/a/b");

  for (const Reply* each : {&exec, &attach, &forward, &proxy}) {
    EXPECT_EQ(each->code, 400);
    EXPECT_EQ(each->message(),
              R"(admission webhook "h.ex.io" denied the request without explanation)");
  }
  ASSERT_EQ(hooks.reviews.size(), 4U);
  const Json& request = hooks.reviews[0].get("request");
  EXPECT_EQ(request.get("operation").text(), "CONNECT");
  EXPECT_EQ(request.get("subResource").text(), "exec");
  EXPECT_EQ(request.text_at({"kind", "kind"}), "PodExecOptions");
  EXPECT_TRUE(request.get("oldObject").is_null());
  EXPECT_TRUE(request.get("options").is_null());
  EXPECT_EQ(to_text(request.get("object")),
            R"({"kind":"PodExecOptions","apiVersion":"v1","stdin":true,"container":"c",)"
            R"("command":["ls","-l"]})");
  EXPECT_EQ(to_text(hooks.reviews[2].get("request").get("object").get("ports")), "[80,81]");
  EXPECT_EQ(hooks.reviews[3].get("request").text_at({"object", "path"}), "/a/b");
  EXPECT_EQ(sandbox.get(pod + "/portforward?ports=x").message(),
            R"(cannot convert to []int32: strconv.ParseUint: parsing "x": invalid syntax)");
  EXPECT_EQ(sandbox.get(pod + "/exec?dryRun=All").message(), "dryRun is not supported");
  EXPECT_EQ(hooks.reviews.size(), 4U);
}

TEST(WebhookTest, ThePortsOfAConnectionAreNumbers) {
  FakeHooks hooks(allow);
  Sandbox sandbox(with_hooks(hooks));
  const std::string forward = "/api/v1/namespaces/default/pods/p/portforward?ports=";
  validate_by(sandbox, hook_for("pods/*", "connect"));

  static_cast<void>(sandbox.get(forward + "08,80&ports=443"));

  ASSERT_EQ(hooks.reviews.size(), 1U);
  EXPECT_EQ(to_text(hooks.reviews[0].get("request").get("object").get("ports")), "[8,80,443]");
  const std::string why = "cannot convert to []int32: strconv.ParseUint: parsing ";
  EXPECT_EQ(sandbox.get(forward + "65536").message(), why + "\"65536\": value out of range");
  EXPECT_EQ(sandbox.get(forward + "80,").message(), why + "\"\": invalid syntax");
  EXPECT_EQ(hooks.reviews.size(), 1U);
}

TEST(WebhookTest, AConnectionThatIsAllowedIsServedAsBefore) {
  FakeHooks hooks(allow);
  Sandbox sandbox(with_hooks(hooks));
  validate_by(sandbox, hook_for("pods/exec", "connect"));

  const Reply exec = sandbox.post("/api/v1/namespaces/default/pods/p/exec?command=ls", "");

  EXPECT_EQ(exec.message(), "the sandbox runs no containers: exec is not provided");
  EXPECT_EQ(hooks.calls, std::vector<std::string>{"/connect"});
}

TEST(WebhookTest, AWriteWaitsOnAThreadOfItsOwn) {
  FakeHooks hooks(allow);
  ApiServerOptions options = with_hooks(hooks);
  options.hook_thread = ApiServerOptions::HookThread::kOwn;
  Sandbox sandbox(options);
  validate_by(sandbox, hook_of("h", "v"));

  const Reply reply = sandbox.post(kHookedMaps, kHookedMap);

  ASSERT_NE(reply.deferred, nullptr);
  std::optional<HttpServerResponse> response;
  while (!response) {
    std::this_thread::yield();
    response = reply.deferred->take();
  }
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(sandbox.get(kHookedMaps + "/m").code, 200);
  EXPECT_EQ(sandbox.get(kHookedMaps).deferred, nullptr);
}

}  // namespace
}  // namespace davit::sandbox
