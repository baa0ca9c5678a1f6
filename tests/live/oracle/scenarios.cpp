#include "tests/live/oracle/scenarios.hpp"

#include <cstdio>
#include <cstdlib>

#include "tests/live/oracle/snapshot.hpp"

namespace davit::live {
namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "oracle: %s\n", what.c_str());
  std::abort();
}

/// A Deployment `web` of pods app=web.
std::string deployment(int replicas, const std::string& extra) {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {app: web}}\n"
         "spec:\n  replicas: " +
         std::to_string(replicas) +
         "\n  selector: {matchLabels: {app: web}}\n"
         "  template:\n    metadata: {labels: {app: web}}\n"
         "    spec: {containers: [{name: nginx, image: 'nginx:1'}]}\n" +
         extra;
}

void create(const Stage& stage, int replicas, const std::string& extra = "") {
  stage.act({"create", "-f", "-"}, deployment(replicas, extra));
  stage.rest();
}

void set_image(const Stage& stage, const std::string& image) {
  stage.act({"set", "image", "deployment/web", "nginx=" + image});
}

void scale(const Stage& stage, int replicas) {
  stage.act({"scale", "deployment/web", "--replicas=" + std::to_string(replicas)});
}

std::string rolling(const std::string& surge, const std::string& unavailable) {
  return "  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: " + surge +
         ", maxUnavailable: " + unavailable + "}}\n";
}

void roll_to(const Stage& stage, const std::string& image) {
  set_image(stage, image);
  stage.rest();
}

void history(const Stage& stage) {
  create(stage, 2, "  revisionHistoryLimit: 2\n");
  for (const char* image : {"nginx:2", "nginx:3", "nginx:4", "nginx:5"}) roll_to(stage, image);
}

void pause_and_resume(const Stage& stage) {
  create(stage, 3);
  stage.act({"rollout", "pause", "deployment/web"});
  stage.rest();
  roll_to(stage, "nginx:2");
  scale(stage, 5);
  stage.rest();
  stage.act({"rollout", "resume", "deployment/web"});
  stage.rest();
}

void progress_deadline(const Stage& stage) {
  create(stage, 3, "  progressDeadlineSeconds: 4\n");
  set_image(stage, kStuckImage);
  stage.wait_for("deployment/web", "{.status.conditions[?(@.type==\"Progressing\")].reason}",
                 "ProgressDeadlineExceeded");
  stage.rest();
}

void scale_while_rolling(const Stage& stage) {
  create(stage, 10, rolling("3", "2"));
  roll_to(stage, kStuckImage);
  scale(stage, 15);
  stage.rest();
  scale(stage, 8);
  stage.rest();
}

void orphan_and_adopt(const Stage& stage) {
  create(stage, 3);
  stage.act({"delete", "deployment/web", "--cascade=orphan"});
  stage.rest();
  create(stage, 3);
}

void release_a_pod(const Stage& stage) {
  create(stage, 2);
  const std::string pod = stage.cluster().must(
      {"get", "pods", "--namespace", stage.ns(), "--output", "jsonpath={.items[0].metadata.name}"});
  stage.act({"label", "pod", pod, "app=debug", "--overwrite"});
  stage.rest();
}

void quota(const Stage& stage) {
  stage.act({"create", "quota", "few", "--hard=pods=2"});
  stage.wait_for("quota/few", "{.status.hard.pods}", "2");
  create(stage, 3);
}

void hurried_updates(const Stage& stage) {
  create(stage, 6, rolling("1", "1"));
  set_image(stage, "nginx:2");
  set_image(stage, "nginx:3");
  roll_to(stage, "nginx:1");
}

}  // namespace

void Stage::act(std::vector<std::string> args, const std::string& input) const {
  args.insert(args.end(), {"--namespace", ns_});
  (void)cluster_.must(args, input);
}

void Stage::rest() const {
  if (!settle(cluster_, ns_)) fail(ns_ + " does not come to rest:\n" + snapshot(cluster_, ns_));
}

void Stage::wait_for(const std::string& object, const std::string& jsonpath,
                     const std::string& value) const {
  std::string last;
  if (!eventually(
          std::chrono::seconds(60),
          [&] {
            last = cluster_
                       .kubectl(
                           {"get", object, "--namespace", ns_, "--output", "jsonpath=" + jsonpath})
                       .out;
            return last == value;
          },
          std::chrono::milliseconds(500))) {
    fail(ns_ + ": " + object + " " + jsonpath + " is \"" + last + "\", not \"" + value + "\"");
  }
}

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all = {
      {"create", [](const Stage& stage) { create(stage, 5); }},
      {"rolling-update",
       [](const Stage& stage) {
         create(stage, 4);
         roll_to(stage, "nginx:2");
       }},
      {"surge-only-and-undo",
       [](const Stage& stage) {
         create(stage, 4, rolling("25%", "0"));
         roll_to(stage, "nginx:2");
         stage.act({"rollout", "undo", "deployment/web"});
         stage.rest();
       }},
      {"unavailable-only",
       [](const Stage& stage) {
         create(stage, 5, rolling("0", "100%"));
         roll_to(stage, "nginx:2");
       }},
      {"scale-up-and-down",
       [](const Stage& stage) {
         create(stage, 2);
         for (const int replicas : {7, 3, 0, 1}) {
           scale(stage, replicas);
           stage.rest();
         }
       }},
      {"pause-and-resume", pause_and_resume},
      {"recreate",
       [](const Stage& stage) {
         create(stage, 3, "  strategy: {type: Recreate}\n");
         roll_to(stage, "nginx:2");
       }},
      {"progress-deadline", progress_deadline},
      {"history-limit", history},
      {"scale-while-rolling", scale_while_rolling},
      {"orphan-and-adopt", orphan_and_adopt},
      {"release-a-pod", release_a_pod},
      {"quota", quota},
      {"hurried-updates", hurried_updates, Compare::kObjects},
  };
  return all;
}

}  // namespace davit::live
