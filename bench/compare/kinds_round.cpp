// The round "kinds".
#include <string>
#include <thread>
#include <vector>

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

/// An object whose owner does not exist: garbage.
ApiRequest orphan_of(int kind) {
  return to(Verb::kCreate,
            {group_of(kind), "v1", "things" + std::to_string(kind), "", "default", ""}, "",
            R"({"apiVersion":")" + group_of(kind) + R"(/v1","kind":"Thing)" + std::to_string(kind) +
                R"(","metadata":{"name":"orphan","ownerReferences":[{"apiVersion":"v1","kind":)"
                R"("ConfigMap","name":"gone","uid":"00000000-0000-4000-8000-000000000000"}]}})");
}

/// Creates the definitions, and garbage of the last kind.
void create_kinds(const ControlPlane& cluster, int kinds) {
  std::vector<ApiRequest> creations;
  for (int i = 0; i < kinds; ++i) {
    creations.push_back(to(Verb::kCreate, kDefinitions, "", definition(i)));
  }
  const Tally established(cluster, kDefinitions, is_established);
  live::send_all(cluster.client(), creations);
  const ApiRequest orphan = orphan_of(kinds - 1);
  // A server serves a kind soon after it has established the definition.
  const bool is_served = live::eventually(seconds(600), [&] {
    return established.count() == kinds && cluster.client().call(orphan).status.ok();
  });
  if (!is_served) live::give_up("the server does not serve all kinds");
}

}  // namespace

void measure_kinds(const Peer& peer, const Options& options, Report& report) {
  const std::string what = "follow " + std::to_string(options.kinds) + " custom kinds";
  progress(peer.name + ": " + what);
  ControlPlane cluster(wide_server());
  create_kinds(cluster, options.kinds);
  ApiRequest orphan = orphan_of(options.kinds - 1);
  orphan.verb = Verb::kGet;
  orphan.path.name = "orphan";
  orphan.body.clear();
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
  add_footprint(cluster, running, what, figures);
  stop_peer(running);
}

}  // namespace davit::bench
