// The round "kinds".
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "bench/compare/delay_meter.hpp"
#include "bench/compare/rounds.hpp"
#include "bench/compare/tally.hpp"
#include "tests/live/support/cost.hpp"
#include "tests/live/support/load.hpp"

namespace davit::bench {
namespace {

using host::ApiRequest;
using host::Value;
using host::Verb;
using live::ControlPlane;
using std::chrono::seconds;
using std::chrono::steady_clock;

const host::ResourcePath kDefinitions = {
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "", "", ""};
/// Each is a document of discovery.
constexpr int kGroups = 40;
constexpr seconds kIdle{60};
constexpr char kFirstOrphan[] = "orphan";
/// Garbage that appears while the peer runs: enough for a 99th percentile.
constexpr std::size_t kOrphans = 200;

std::string group_of(int kind) {
  return "g" + std::to_string(kind % kGroups) + ".kinds.example.com";
}

std::string definition(int kind) {
  const std::string number = std::to_string(kind);
  const std::string group = group_of(kind);
  return R"({"metadata":{"name":"things)" + number + "." + group + R"("},"spec":{"group":")" +
         group + R"(","scope":"Namespaced","names":{"plural":"things)" + number +
         R"(","singular":"thing)" + number + R"(","kind":"Thing)" + number +
         R"("},"versions":[{"name":"v1","served":true,"storage":true,"schema":{)"
         R"("openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";
}

bool is_established(Value object) {
  bool found = false;
  object["status"]["conditions"].each([&found](Value each) {
    found = found || (each["type"].string() == "Established" && each["status"].string() == "True");
  });
  return found;
}

host::ResourcePath things_of(int kind) {
  return {group_of(kind), "v1", "things" + std::to_string(kind), "", "default", ""};
}

/// An object whose owner does not exist: garbage.
ApiRequest orphan_of(int kind, const std::string& name) {
  return to(Verb::kCreate, things_of(kind), "",
            R"({"apiVersion":")" + group_of(kind) + R"(/v1","kind":"Thing)" + std::to_string(kind) +
                R"(","metadata":{"name":")" + name +
                R"(","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"gone",)"
                R"("uid":"00000000-0000-4000-8000-000000000000"}]}})");
}

/// Creates the definitions, and garbage of the last kind.
void create_kinds(const ControlPlane& cluster, int kinds) {
  std::vector<ApiRequest> creations;
  for (int i = 0; i < kinds; ++i) {
    creations.push_back(to(Verb::kCreate, kDefinitions, "", definition(i)));
  }
  const Tally established(cluster, kDefinitions, is_established);
  live::send_all(cluster.client(), creations);
  const ApiRequest orphan = orphan_of(kinds - 1, kFirstOrphan);
  // A server serves a kind soon after it has established the definition.
  const bool is_served = live::eventually(seconds(600), [&] {
    return established.count() == kinds && cluster.client().call(orphan).status.ok();
  });
  if (!is_served) live::give_up("the server does not serve all kinds");
}

/// The time from garbage of the last kind to its deletion.
void measure_collections(const Step& step, int kind, const std::string& what) {
  const auto name = [](Value object) -> std::vector<std::string> {
    return {std::string(object["metadata"]["name"].string())};
  };
  DelayMeter delays(
      step.cluster, {things_of(kind), name},
      {{"garbage to its deletion", {things_of(kind), name, DelayMeter::Changes::kDeletions}}});
  // A deletion before the meter's watches begin would not be seen.
  int tries = 0;
  await_state(step.peer, "the watches of garbage", [&] {
    (void)step.cluster.client().call(orphan_of(kind, "first-" + std::to_string(tries++)));
    return delays.complete() > 0;
  });
  delays.forget();
  std::vector<ApiRequest> creations;
  for (std::size_t i = 0; i < kOrphans; ++i) {
    creations.push_back(orphan_of(kind, "orphan-" + std::to_string(i)));
  }
  live::send_all(step.cluster.client(), creations);
  await_state(step.peer, "the collection of all garbage",
              [&] { return delays.complete() >= kOrphans; });
  delays.report(step.peer.name, what, step.report.figures);
}

}  // namespace

void measure_kinds(const Peer& peer, const Options& options, Report& report) {
  const std::string what = "follow " + std::to_string(options.kinds) + " custom kinds";
  progress(peer.name + ": " + what);
  ControlPlane cluster(wide_server());
  create_kinds(cluster, options.kinds);
  const ApiRequest orphan = to(Verb::kGet, things_of(options.kinds - 1), kFirstOrphan);
  const auto start = steady_clock::now();
  const RunningPeer running = peer.start(cluster, std::string(kCollector));
  const pid_t pid = running.process->pid();
  await_state(running, "the collection of garbage of the last kind",
              [&] { return cluster.client().call(orphan).status.code() == Code::kNotFound; });
  Table& figures = report.figures;
  figures.add(peer.name, what + ": first collection after", "s",
              std::chrono::duration<double>(steady_clock::now() - start).count());
  (void)live::wait_idle(pid, seconds(300), seconds(10));
  const double cpu = live::cost_of(pid).cpu_seconds;
  figures.add(peer.name, what + ": CPU to the start", "s", cpu);
  std::this_thread::sleep_for(kIdle);
  figures.add(peer.name, what + ": idle", "% of a core",
              100 * (live::cost_of(pid).cpu_seconds - cpu) / static_cast<double>(kIdle.count()));
  measure_collections({cluster, running, report}, options.kinds - 1, what);
  add_footprint(cluster, running, what, figures);
  stop_peer(running);
}

}  // namespace davit::bench
