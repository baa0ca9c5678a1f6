/// Measures one crossing of the plugin boundary: reads through the C table over the host's own
/// objects, and through the SDK's typed views on top.
#include <benchmark/benchmark.h>

#include <davit/kube/pod.hpp>
#include <string_view>

#include "host/object/abi.hpp"
#include "host/object/object.hpp"
#include "host/object/object_space.hpp"
#include "host/object/parse.hpp"

namespace {

constexpr std::string_view kPod = R"({"apiVersion":"v1","kind":"Pod","metadata":{
  "name":"web-5d4f8c7b9-x2x4z","namespace":"shop","uid":"7c1e0c1e-6a9b-4d55-8f0a-2f6f0b6f1d11",
  "resourceVersion":"123456","creationTimestamp":"2024-05-01T12:00:00Z",
  "labels":{"app":"web","pod-template-hash":"5d4f8c7b9","tier":"front"},
  "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-5d4f8c7b9",
    "uid":"0b9df6c9-7c50-4e4c-8e06-11d3a2b3f7d2","controller":true,"blockOwnerDeletion":true}]},
  "spec":{"nodeName":"node-17","containers":[{"name":"main","image":"nginx:1.25"}]},
  "status":{"phase":"Running","conditions":[{"type":"Initialized","status":"True"},
    {"type":"Ready","status":"True","lastTransitionTime":"2024-05-01T12:00:05Z"}]}})";

/// A pod as a controller gets it, through the declared part only.
struct PodInHost {
  PodInHost() {
    table.size = sizeof(table);
    davit::host::fill_object_table(table);
    object = davit::host::parse_object(space, kPod, {}).value();
    api.object = &table;
    api.names = davit::Names::resolve([this](std::string_view text) { return space.intern(text); });
    const std::string paths[] = {"metadata.labels", "metadata.ownerReferences", "spec.nodeName",
                                 "status.phase", "status.conditions"};
    raw = object.root(space.add_projection(paths).value()).raw;
  }
  davit::host::ObjectSpace space;
  davit::host::ObjectRef object;
  davit_object_v1 table{};
  davit::Api api;
  davit_value raw{};
};

void table_member(benchmark::State& state) {
  const PodInHost host;
  for (auto _ : state) {
    davit_value out;
    benchmark::DoNotOptimize(host.table.member(host.raw, host.api.names.status.id, &out));
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(table_member);

void table_path_of_two(benchmark::State& state) {
  const PodInHost host;
  const davit_name names[] = {host.api.names.status.id, host.api.names.phase.id};
  for (auto _ : state) {
    davit_value out;
    benchmark::DoNotOptimize(host.table.path(host.raw, names, 2, &out));
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(table_path_of_two);

void table_string(benchmark::State& state) {
  const PodInHost host;
  const davit_name names[] = {host.api.names.status.id, host.api.names.phase.id};
  davit_value phase;
  benchmark::DoNotOptimize(host.table.path(host.raw, names, 2, &phase));
  for (auto _ : state) {
    davit_str out;
    benchmark::DoNotOptimize(host.table.string(phase, &out));
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(table_string);

void table_lookup_of_a_label(benchmark::State& state) {
  const PodInHost host;
  const davit_name names[] = {host.api.names.metadata.id, host.api.names.labels.id};
  davit_value labels;
  benchmark::DoNotOptimize(host.table.path(host.raw, names, 2, &labels));
  for (auto _ : state) {
    davit_value out;
    benchmark::DoNotOptimize(host.table.lookup(labels, davit::to_c("tier"), &out));
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(table_lookup_of_a_label);

/// Three crossings: status, phase, its text.
void view_phase(benchmark::State& state) {
  const PodInHost host;
  const davit::Pod pod(davit::Value(&host.api, host.raw));
  for (auto _ : state) benchmark::DoNotOptimize(pod.phase());
}
BENCHMARK(view_phase);

/// Ten crossings: two conditions read in one batch, their types and the status.
void view_is_ready(benchmark::State& state) {
  const PodInHost host;
  const davit::Pod pod(davit::Value(&host.api, host.raw));
  for (auto _ : state) benchmark::DoNotOptimize(pod.is_ready());
}
BENCHMARK(view_is_ready);

}  // namespace
