#include "tests/live/story/story.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

namespace davit::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr minutes kTimeLimit{4};
constexpr milliseconds kInterval{250};  // Each question is a kubectl.

std::vector<std::string> split(const std::string& words) {
  std::istringstream in(words);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

}  // namespace

/// The expected output of `kubectl get OBJECT -o go-template=FORMAT`.
struct Story::Check {
  const char* object;
  const char* format;
  const char* wanted;
};

/// The work of one plugin. $NS and $NODES stand for the namespace and the number of Nodes.
struct Story::Part {
  const char* plugin;
  const char* manifest;               ///< YAML; empty: other parts have made it.
  std::vector<Check> running;         ///< After begin().
  std::vector<const char*> changes;   ///< kubectl commands.
  std::vector<Check> changed;         ///< After change().
  std::vector<const char*> deletion;  ///< kubectl commands.
  std::vector<Check> left;            ///< After deletion, before the namespace goes.
};

constexpr const char* kCount = "{{len .items}}";

const Story::Part Story::kParts[] = {
    {"serviceaccount",
     R"(
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot}
---
apiVersion: v1
kind: Secret
metadata: {name: robot-token, annotations: {kubernetes.io/service-account.name: robot}}
type: kubernetes.io/service-account-token
)",
     {{"serviceaccounts", kCount, "2"},
      {"configmap/kube-root-ca.crt", "{{len .data}}", "1"},
      {"secret/robot-token", "{{if .data.token}}filled{{end}}", "filled"}},
     {"delete configmap kube-root-ca.crt", "delete serviceaccount default"},
     {{"serviceaccounts", kCount, "2"}, {"configmap/kube-root-ca.crt", "{{len .data}}", "1"}},
     {"delete serviceaccount robot"},
     {{"secrets", kCount, "0"}}},
    {"resourcequota",
     R"(
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota}
spec: {hard: {pods: "100", count/deployments.apps: "5"}}
)",
     {{"resourcequota/quota",
       R"({{.status.hard.pods}} {{index .status.used "count/deployments.apps"}})", "100 1"}},
     {},
     {},
     {},
     {{"resourcequota/quota", R"({{index .status.used "count/deployments.apps"}})", "0"}}},
    {"deployment",
     R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1"}]}
)",
     {{"deployment/web", "{{.status.availableReplicas}} {{.status.updatedReplicas}}", "3 3"}},
     {"set image deployment/web web=web:2", "scale deployment/web --replicas=5"},
     {{"deployment/web",
       "{{.status.observedGeneration}} {{.status.replicas}} {{.status.availableReplicas}} "
       "{{.status.updatedReplicas}}",
       "3 5 5 5"}},
     {"delete deployment web --cascade=foreground"},
     {{"replicasets --selector=app=web", kCount, "0"}, {"pods --selector=app=web", kCount, "0"}}},
    {"endpoint",
     R"(
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
)",
     {{"endpoints/web", "{{range .subsets}}{{len .addresses}}{{end}}", "3"},
      {"endpointslices --selector=kubernetes.io/service-name=web",
       "{{range .items}}{{len .endpoints}}{{end}}", "3"}},
     {},
     {{"endpoints/web", "{{range .subsets}}{{len .addresses}}{{end}}", "5"},
      {"endpointslices --selector=kubernetes.io/service-name=web",
       "{{range .items}}{{len .endpoints}}{{end}}", "5"}},
     {},
     {{"endpoints/web", "{{range .subsets}}{{len .addresses}}{{end}}", ""}}},
    {"disruption",
     R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}
)",
     {{"poddisruptionbudget/web", "{{.status.currentHealthy}} {{.status.disruptionsAllowed}}",
       "3 1"}},
     {},
     {{"poddisruptionbudget/web", "{{.status.currentHealthy}} {{.status.disruptionsAllowed}}",
       "5 3"}},
     {},
     {{"poddisruptionbudget/web", "{{.status.currentHealthy}}", "0"}}},
    {"replicationcontroller",
     R"(
apiVersion: v1
kind: ReplicationController
metadata: {name: old}
spec:
  replicas: 2
  selector: {app: old}
  template:
    metadata: {labels: {app: old}}
    spec: {containers: [{name: old, image: "old:1"}]}
)",
     {{"replicationcontroller/old", "{{.status.availableReplicas}}", "2"}},
     {"scale replicationcontroller/old --replicas=1"},
     {{"replicationcontroller/old", "{{.status.replicas}} {{.status.availableReplicas}}", "1 1"}},
     {"delete replicationcontroller old --cascade=orphan"},
     {{"pods --selector=app=old",
       "{{range .items}}{{if .metadata.ownerReferences}}owned{{else}}free{{end}}{{end}}", "free"}}},
    {"statefulset",
     R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 2
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: "db:1"}]}
)",
     {{"statefulset/db", "{{.status.readyReplicas}}", "2"},
      {"pods --selector=app=db", "{{range .items}}{{.metadata.name}} {{end}}", "db-0 db-1 "}},
     {"set image statefulset/db db=db:2", "scale statefulset/db --replicas=3"},
     {{"statefulset/db", "{{.status.readyReplicas}} {{.status.updatedReplicas}}", "3 3"},
      {"pods --selector=app=db", "{{range .items}}{{.metadata.name}} {{end}}", "db-0 db-1 db-2 "},
      {"controllerrevisions --selector=app=db", kCount, "2"}},
     {"delete statefulset db --cascade=background"},
     {{"pods --selector=app=db", kCount, "0"}}},
    {"daemonset",
     R"(
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: agent, image: "agent:1"}]}
)",
     {{"daemonset/agent", "{{.status.numberAvailable}}", "$NODES"}},
     {"set image daemonset/agent agent=agent:2"},
     {{"daemonset/agent", "{{.status.numberAvailable}} {{.status.updatedNumberScheduled}}",
       "$NODES $NODES"}},
     {"delete daemonset agent --cascade=background"},
     {{"pods --selector=app=agent", kCount, "0"}}},
    {"job",
     R"(
apiVersion: batch/v1
kind: Job
metadata: {name: sum}
spec:
  completions: 3
  parallelism: 2
  template: {spec: {restartPolicy: Never, containers: [{name: sum, image: "sum:1"}]}}
)",
     {{"job/sum", "{{.status.succeeded}} {{range .status.conditions}}{{.type}} {{end}}",
       "3 SuccessCriteriaMet Complete "}},
     {},
     {},
     {"delete job sum --cascade=background"},
     {{"pods --selector=batch.kubernetes.io/job-name=sum", kCount, "0"}}},
    {"ttlafterfinished",
     R"(
apiVersion: batch/v1
kind: Job
metadata: {name: gone}
spec:
  ttlSecondsAfterFinished: 0
  template: {spec: {restartPolicy: Never, containers: [{name: gone, image: "gone:1"}]}}
)",
     {{"jobs --selector=batch.kubernetes.io/job-name=gone", kCount, "0"},
      {"jobs", "{{range .items}}{{if eq .metadata.name \"gone\"}}left{{end}}{{end}}", ""}},
     {},
     {},
     {},
     {}},
    {"cronjob",
     R"(
apiVersion: batch/v1
kind: CronJob
metadata: {name: tick}
spec:
  schedule: "* * * * *"
  jobTemplate:
    metadata: {labels: {app: tick}}
    spec: {template: {spec: {restartPolicy: Never, containers: [{name: tick, image: "tick:1"}]}}}
)",
     {},
     {},
     {{"cronjob/tick", "{{if .status.lastSuccessfulTime}}ran{{end}}", "ran"}},
     {"delete cronjob tick --cascade=foreground"},
     {{"jobs --selector=app=tick", kCount, "0"}}},
    {"endpointslicemirroring",
     R"(
apiVersion: v1
kind: Service
metadata: {name: outside}
spec: {clusterIP: None, ports: [{port: 80}]}
---
apiVersion: v1
kind: Endpoints
metadata: {name: outside}
subsets: [{addresses: [{ip: 192.0.2.1}, {ip: 192.0.2.2}], ports: [{port: 80}]}]
)",
     {{"endpointslices --selector=kubernetes.io/service-name=outside",
       "{{range .items}}{{len .endpoints}}{{end}}", "2"}},
     {"delete endpoints outside"},
     {{"endpointslices --selector=kubernetes.io/service-name=outside", kCount, "0"}},
     {},
     {}},
    {"clusterroleaggregation",
     R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: $NS-part, labels: {story: $NS}}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: $NS-whole}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {story: $NS}}]}
)",
     {{"clusterrole/$NS-whole", "{{len .rules}}", "1"}},
     {"label clusterrole $NS-part story-"},
     {{"clusterrole/$NS-whole", "{{if .rules}}{{len .rules}}{{else}}0{{end}}", "0"}},
     {"delete clusterrole $NS-part $NS-whole"},
     {}},
    {"ttl",
     "",
     {{"nodes",
       R"({{range .items}}{{index .metadata.annotations "node.alpha.kubernetes.io/ttl"}} {{end}})",
       "0 0 0 "}},
     {},
     {},
     {},
     {}},
};

void Story::begin(const std::string& ns) const {
  run("default", "create namespace " + ns);
  // Quotas come first, since they count what comes after them; accounts, since pods wait for them.
  for (const Part& part : kParts) {
    if (has(part) && *part.manifest != '\0') {
      run(ns, "create --validate=false --filename=-", filled(part.manifest, ns));
    }
  }
  for (const Part& part : kParts) {
    if (!has(part)) continue;
    for (const Check& each : part.running) await(each, ns);
  }
}

void Story::change(const std::string& ns) const {
  for (const Part& part : kParts) {
    if (!has(part)) continue;
    for (const char* words : part.changes) run(ns, filled(words, ns));
  }
  await_changed(ns);
}

void Story::await_changed(const std::string& ns) const {
  for (const Part& part : kParts) {
    if (!has(part)) continue;
    for (const Check& each : part.changed) await(each, ns);
  }
}

void Story::end(const std::string& ns) const {
  for (const Part& part : kParts) {
    if (!has(part)) continue;
    for (const char* words : part.deletion) run(ns, filled(words, ns));
  }
  for (const Part& part : kParts) {
    if (!has(part)) continue;
    for (const Check& each : part.left) await(each, ns);
  }
  run("default", "delete namespace " + ns + " --wait=false");
  await({"namespaces", "{{range .items}}{{if eq .metadata.name \"$NS\"}}left{{end}}{{end}}", ""},
        ns);
}

bool Story::has(const Part& part) const { return plugins_.contains(part.plugin); }

std::string Story::filled(std::string text, const std::string& ns) const {
  const std::pair<std::string, std::string> words[] = {{"$NS", ns},
                                                       {"$NODES", std::to_string(nodes_)}};
  // The longer one first: "$NS" does not begin "$NODES", but the order must not matter.
  for (const auto& [from, to] : words) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

std::string Story::shown(const Check& check, const std::string& ns) const {
  std::vector<std::string> args = {"get", "--namespace=" + ns};
  for (std::string& word : split(filled(check.object, ns))) args.push_back(std::move(word));
  args.push_back("--output=go-template=" + filled(check.format, ns));
  const Outcome outcome = kubectl_(args, "");
  return outcome.code == 0 ? outcome.out : "kubectl: " + outcome.err;
}

void Story::await(const Check& check, const std::string& ns) const {
  const std::string wanted = filled(check.wanted, ns);
  std::string found;
  const bool is_so = eventually(
      kTimeLimit, [&] { return (found = shown(check, ns)) == wanted; }, kInterval);
  EXPECT_TRUE(is_so) << ns << ": " << check.object << " " << check.format << " is \"" << found
                     << "\", not \"" << wanted << '"';
}

void Story::run(const std::string& ns, const std::string& words, const std::string& input) const {
  std::vector<std::string> args = split(words);
  args.push_back("--namespace=" + ns);
  Outcome last;
  bool was_sent = false;
  const bool is_done = eventually(
      kTimeLimit,
      [&] {
        last = kubectl_(args, input);
        // A server that went away may have carried the command out before.
        const bool is_repeated = was_sent && (last.err.find("AlreadyExists") != std::string::npos ||
                                              last.err.find("NotFound") != std::string::npos);
        was_sent = true;
        return last.code == 0 || is_repeated;
      },
      kInterval);
  EXPECT_TRUE(is_done) << "kubectl " << words << ": " << last.err;
}

}  // namespace davit::live
