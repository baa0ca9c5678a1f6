/// A standby takes over from a leader that was killed. It acts on nothing that its caches had from
/// before, on no body that is not what was asked for, and for no owner of another namespace.
#include "host/api/rest_client.hpp"
#include "tests/live/conformance/custom_kind.hpp"
#include "tests/live/conformance/fixture.hpp"
#include "tests/live/support/corrupting_proxy.hpp"

namespace davit::live {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

constexpr char kWins[] = "Successfully acquired lease";
/// The first release with the CronJobs of batch/v1.
constexpr int kMinorOfCronJobs = 21;

struct WrongBody {
  const char* name;
  const char* object;  ///< Instead of a ConfigMap.
  const char* list;    ///< Instead of a list of ConfigMaps.
};
constexpr WrongBody kWrongBodies[] = {
    {"nothing", "{}", "{}"},
    {"status", R"({"kind":"Status","apiVersion":"v1","status":"Success"})",
     R"({"kind":"Status","apiVersion":"v1","status":"Success"})"},
    {"bare", R"({"kind":"ConfigMap","apiVersion":"v1"})", R"({"items":[]})"},
    {"kind",
     R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"owner-kind","uid":"other",)"
     R"("resourceVersion":"1"}})",
     R"({"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[]})"},
};

std::string doc(const std::string& kind, const std::string& metadata, const std::string& rest) {
  return "---\napiVersion: " + kind + "\nmetadata: {" + metadata + "}\n" + rest;
}

/// A reference in YAML's flow style; `kind` as in "v1, kind: ConfigMap".
std::string owner(const std::string& kind, const std::string& name, const std::string& uid) {
  return "{apiVersion: " + kind + ", name: " + name + ", uid: " + uid +
         ", blockOwnerDeletion: true}";
}
/// The same of the owner that is the controller.
std::string controller(const std::string& kind, const std::string& name, const std::string& uid) {
  return "{controller: true, " + owner(kind, name, uid).substr(1);
}

/// Whether jsonpath reads `value` of an object of another namespace.
bool reads(const ControlPlane& cluster, const std::string& ns, const std::string& object,
           const std::string& jsonpath, const std::string& value) {
  const Outcome got =
      cluster.kubectl({"get", object, "--namespace", ns, "--output", "jsonpath=" + jsonpath});
  return got.code == 0 && got.out == value;
}

class KnowingEnoughTest : public LiveTest {
 protected:
  /// Two hosts with one lease; the first one leads. `flags` are added to those of the second.
  void start(const std::string& lease, const std::string& controllers,
             const std::vector<std::string>& flags = {}) {
    // A leader may miss renewals for 20 s: a machine that is that busy ends none before the test.
    std::vector<std::string> all = {
        "--leader-elect-resource-name=" + lease, "--controllers=" + controllers,
        "--leader-elect-lease-duration=24s", "--leader-elect-renew-deadline=20s"};
    leader_ = cluster().davit(all);
    ASSERT_TRUE(prints(*leader_, kWins));
    all.insert(all.end(), flags.begin(), flags.end());
    standby_ = cluster().davit(all);
    ASSERT_TRUE(prints(*standby_, "Attempting to acquire leader lease"));
  }
  void kill_leader() {
    leader_->signal(SIGKILL);
    ASSERT_EQ(leader_->wait(kWaitLimit), 128 + SIGKILL);
  }

  [[nodiscard]] static testing::AssertionResult goes(const std::string& object,
                                                     const std::string& where = ns()) {
    const auto is_gone = [&] {
      const Outcome got = cluster().kubectl(
          {"get", object, "--namespace", where, "--output=name", "--ignore-not-found"});
      return got.code == 0 && got.out.empty();
    };
    if (eventually(kWaitLimit, is_gone, milliseconds(200))) return testing::AssertionSuccess();
    return testing::AssertionFailure() << object << " stays in " << where;
  }
  static std::string uid(const std::string& object) { return field(object, "{.metadata.uid}"); }
  static std::string owners(const std::string& object) {
    return field(object, "{.metadata.ownerReferences[*].name}");
  }
  static void drop_finalizers(const std::string& object, const std::string& where = ns()) {
    cluster().must({"patch", object, "--namespace", where, "--type=merge",
                    R"(--patch={"metadata":{"finalizers":null}})"});
  }
  /// Waits until each path was answered wrongly often enough for the error to have been met, and
  /// the request repeated.
  static testing::AssertionResult meet(const CorruptingProxy& proxy,
                                       const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      if (!eventually(kWaitLimit, [&] { return proxy.corrupted(path) >= 2; })) {
        return testing::AssertionFailure() << path << " was not read twice";
      }
    }
    return testing::AssertionSuccess();
  }

  static void create_widgets();
  static void expect_widgets_as_a_leader_leaves_them();
  static void corrupt_owners(CorruptingProxy& proxy);
  static void corrupt_lists(CorruptingProxy& proxy);
  static void create_finished_job(const std::string& where, const std::string& name,
                                  const std::string& started, const std::string& cron_job);
  static void expect_old_jobs_of_one_namespace_go(const std::string& other);

  std::unique_ptr<Process> leader_;
  std::unique_ptr<Process> standby_;
};

/// Creates objects of a kind that is younger than the standby: w, which o owns, and b, which holds
/// f up.
void KnowingEnoughTest::create_widgets() {
  define_kind(cluster(), "Widget", "widgets");
  kubectl({"create", "configmap", "o"});
  kubectl({"create", "configmap", "f"});
  const std::string widget = "example.com/v1\nkind: Widget";
  kubectl({"create", "-f", "-"},
          doc(widget,
              "name: w, ownerReferences: [" +
                  owner("v1, kind: ConfigMap", "o", uid("configmap/o")) + "]",
              "") +
              doc(widget,
                  "name: b, finalizers: [f.io/keep], ownerReferences: [" +
                      owner("v1, kind: ConfigMap", "f", uid("configmap/f")) + "]",
                  ""));
}

void KnowingEnoughTest::expect_widgets_as_a_leader_leaves_them() {
  ASSERT_TRUE(goes("configmap/o"));
  EXPECT_EQ(field("widget/w", "{.metadata.name}"), "w");
  EXPECT_EQ(owners("widget/w"), "") << "it goes as soon as its kind is found";

  ASSERT_TRUE(eventually(kWaitLimit, [] {
    return !field("widget/b", "{.metadata.deletionTimestamp}").empty();
  })) << "the owner went before the object that holds it up";
  EXPECT_EQ(field("configmap/f", "{.metadata.finalizers[*]}"), "foregroundDeletion");
  drop_finalizers("widget/b");
  EXPECT_TRUE(goes("configmap/f"));
}

void KnowingEnoughTest::corrupt_owners(CorruptingProxy& proxy) {
  const auto config_map = [](const std::string& name) {
    return owner("v1, kind: ConfigMap", name, uid("configmap/" + name));
  };
  kubectl({"create", "configmap", "gone"});
  const std::string gone = config_map("gone");
  std::string dependents;
  std::vector<std::string> paths;
  for (const WrongBody& each : kWrongBodies) {
    const std::string name = std::string("owner-") + each.name;
    kubectl({"create", "configmap", name});
    dependents += doc("v1\nkind: ConfigMap",
                      std::string("name: of-") + each.name + ", ownerReferences: [" +
                          config_map(name) + ", " + gone + "]",
                      "");
    paths.push_back("/api/v1/namespaces/" + ns() + "/configmaps/" + name);
    proxy.corrupt(paths.back(), each.object);
  }
  kubectl({"create", "-f", "-"}, dependents);
  kubectl({"delete", "configmap", "gone", "--wait=false"});
  ASSERT_TRUE(meet(proxy, paths));
  for (const WrongBody& each : kWrongBodies) {
    EXPECT_EQ(owners(std::string("configmap/of-") + each.name),
              std::string("owner-") + each.name + " gone");
  }

  proxy.relent();
  for (const WrongBody& each : kWrongBodies) {
    EXPECT_TRUE(becomes(std::string("configmap/of-") + each.name,
                        "{.metadata.ownerReferences[*].name}", std::string("owner-") + each.name));
  }
}

void KnowingEnoughTest::corrupt_lists(CorruptingProxy& proxy) {
  std::vector<std::string> namespaces;
  std::vector<std::string> paths;
  for (const WrongBody& each : kWrongBodies) {
    namespaces.push_back(std::string("list-") + each.name);
    cluster().must({"create", "namespace", namespaces.back()});
    cluster().must({"create", "--namespace", namespaces.back(), "-f", "-"},
                   doc("v1\nkind: ConfigMap", "name: c, finalizers: [f.io/keep]", ""));
    paths.push_back("/api/v1/namespaces/" + namespaces.back() + "/configmaps");
    proxy.corrupt(paths.back(), each.list);
    cluster().must({"delete", "namespace", namespaces.back(), "--wait=false"});
  }
  ASSERT_TRUE(meet(proxy, paths));
  for (const std::string& each : namespaces) {
    EXPECT_TRUE(reads(cluster(), each, "namespace/" + each, "{.status.phase}", "Terminating"));
    EXPECT_TRUE(reads(cluster(), each, "configmap/c", "{.metadata.name}", "c"));
  }

  proxy.relent();
  for (const std::string& each : namespaces) {
    drop_finalizers("configmap/c", each);
    EXPECT_TRUE(goes("namespace/" + each));
  }
}

TEST_F(KnowingEnoughTest, StandbyTakesOverWithoutOldCachesAndBelievesNoWrongBody) {
  CorruptingProxy proxy(cluster().port(), kAdminToken);
  start("collecting", "garbage-collector-controller,namespace-controller",
        {"--master=" + proxy.url()});
  create_widgets();
  kill_leader();
  kubectl({"delete", "configmap", "o", "--cascade=orphan", "--wait=false"});
  kubectl({"delete", "configmap", "f", "--cascade=foreground", "--wait=false"});

  ASSERT_TRUE(prints(*standby_, kWins));
  expect_widgets_as_a_leader_leaves_them();
  corrupt_owners(proxy);
  corrupt_lists(proxy);
}

/// One of the CronJob "every" of the test's namespace, by its UID at least.
void KnowingEnoughTest::create_finished_job(const std::string& where, const std::string& name,
                                            const std::string& started,
                                            const std::string& cron_job) {
  cluster().must({"create", "--namespace", where, "-f", "-"},
                 doc("batch/v1\nkind: Job",
                     "name: " + name + ", ownerReferences: [" +
                         controller("batch/v1, kind: CronJob", "every", cron_job) + "]",
                     "spec:\n  template:\n    spec:\n      restartPolicy: Never\n"
                     "      containers: [{name: main, image: main}]\n"));
  const auto condition = [&](const std::string& type) {
    return R"({"type":")" + type + R"(","status":"True","lastProbeTime":")" + started +
           R"(","lastTransitionTime":")" + started + "\"}";
  };
  host::ApiRequest finish;
  finish.verb = host::Verb::kPatch;
  finish.path = {"batch", "v1", "jobs", "status", where, name};
  finish.body = R"({"status":{"startTime":")" + started + R"(","completionTime":")" + started +
                R"(","succeeded":1,"conditions":[)" + condition("SuccessCriteriaMet") + "," +
                condition("Complete") + "]}}";
  const Status done = cluster().client().call(finish).status;
  ASSERT_TRUE(done.ok()) << done.message();
}

/// The forged Job is the oldest, so that it would go first.
void KnowingEnoughTest::expect_old_jobs_of_one_namespace_go(const std::string& other) {
  kubectl({"create", "-f", "-"},
          doc("batch/v1\nkind: CronJob", "name: every",
              "spec:\n  schedule: '0 0 1 1 *'\n  successfulJobsHistoryLimit: 1\n"
              "  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, "
              "containers: [{name: main, image: main}]}}}}\n"));
  const std::string cron_job = uid("cronjob/every");
  create_finished_job(other, "forged", "2026-01-01T01:00:00Z", cron_job);
  create_finished_job(ns(), "old", "2026-01-01T02:00:00Z", cron_job);
  create_finished_job(ns(), "new", "2026-01-01T03:00:00Z", cron_job);
  EXPECT_TRUE(goes("job/old"));
  EXPECT_EQ(field("job/new", "{.metadata.name}"), "new");
  EXPECT_TRUE(reads(cluster(), other, "job/forged", "{.metadata.deletionTimestamp}", ""));
}

// No collector runs: it deletes what has an owner of another namespace only, and rightly so.
TEST_F(KnowingEnoughTest, StandbyLeavesObjectsOfAnotherNamespaceWithForgedOwners) {
  const std::string other = "forger";
  cluster().must({"create", "namespace", other});
  start("owning", "cronjob-controller,deployment-controller,replicaset-controller");
  kubectl({"create", "-f", "-"},
          doc("apps/v1\nkind: Deployment", "name: web",
              "spec:\n  replicas: 0\n  revisionHistoryLimit: 0\n  strategy: {type: Recreate}\n"
              "  selector: {matchLabels: {app: web}}\n  template:\n"
              "    metadata: {labels: {app: web}}\n"
              "    spec: {containers: [{name: main, image: 'main:1'}]}\n"));
  create_replica_set("set");
  ASSERT_TRUE(becomes("replicaset/set", "{.status.replicas}", "2"));
  ASSERT_TRUE(
      becomes("replicasets", "{.items[?(@.spec.replicas==0)].status.observedGeneration}", "1"));
  const std::string first = field("replicasets", "{.items[?(@.spec.replicas==0)].metadata.name}");
  const std::string spec = "  containers: [{name: main, image: 'main:1'}]\n";
  cluster().must(
      {"create", "--namespace", other, "-f", "-"},
      doc("apps/v1\nkind: ReplicaSet",
          "name: forged, labels: {app: web}, ownerReferences: [" +
              controller("apps/v1, kind: Deployment", "web", uid("deployment/web")) + "]",
          "spec:\n  replicas: 0\n  selector: {matchLabels: {app: web}}\n  template:\n"
          "    metadata: {labels: {app: web}}\n    spec: {containers: [{name: a, image: a}]}\n") +
          doc("v1\nkind: Pod",
              "name: of-web, labels: {app: web}, ownerReferences: [" +
                  controller("apps/v1, kind: ReplicaSet", first, uid("replicaset/" + first)) + "]",
              "spec:\n" + spec) +
          doc("v1\nkind: Pod",
              "name: of-set, labels: {app: set}, ownerReferences: [" +
                  controller("apps/v1, kind: ReplicaSet", "set", uid("replicaset/set")) + "]",
              "spec:\n" + spec));
  kill_leader();
  kubectl({"set", "image", "deployment/web", "main=main:2"});
  kubectl({"scale", "replicaset/set", "--replicas=0"});

  ASSERT_TRUE(prints(*standby_, kWins));
  EXPECT_TRUE(goes("replicaset/" + first));
  EXPECT_THAT(field("replicasets", "{.items[*].spec.template.spec.containers[0].image}"),
              HasSubstr("main:2"))
      << "the forged pod has held the rollout up";
  EXPECT_TRUE(becomes("replicaset/set", "{.status.replicas}", "0"));
  if (server_minor() >= kMinorOfCronJobs) expect_old_jobs_of_one_namespace_go(other);
  for (const char* each : {"replicaset/forged", "pod/of-web", "pod/of-set"}) {
    EXPECT_TRUE(reads(cluster(), other, each, "{.metadata.deletionTimestamp}", "")) << each;
  }
}

}  // namespace
}  // namespace davit::live
