/// Measures the costs of an object: bytes, parsing, reading, splitting. Runs on a recorded pod of
/// 11 KB with two containers, status and managedFields.
#include <benchmark/benchmark.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "host/object/abi.hpp"
#include "host/object/list_splitter.hpp"
#include "host/object/metadata.hpp"
#include "host/object/parse.hpp"
#include "host/object/protobuf_envelope.hpp"
#include "host/object/protobuf_list_splitter.hpp"
#include "host/object/protobuf_parser.hpp"
#include "lib/kube/schema/schema.hpp"

namespace davit::host {
namespace {

std::string golden(const std::string& name) {
  std::ifstream file(std::string(DAVIT_GOLDEN_DIR) + "/object/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The paths of a pod that the replicaset controller reads.
std::vector<std::string> replicaset_paths() {
  return {
      "metadata.labels",
      "metadata.creationTimestamp",
      "metadata.deletionTimestamp",
      "metadata.annotations['controller.kubernetes.io/pod-deletion-cost']",
      "metadata.ownerReferences",
      "spec.nodeName",
      "spec.initContainers[].name",
      "spec.initContainers[].restartPolicy",
      "status.phase",
      "status.conditions[].type",
      "status.conditions[].status",
      "status.conditions[].lastTransitionTime",
      "status.containerStatuses[].restartCount",
      "status.initContainerStatuses[].name",
      "status.initContainerStatuses[].restartCount",
  };
}

void parse(benchmark::State& state, const std::string& file,
           const std::vector<std::string>& paths) {
  const std::string json = golden(file);
  ObjectSpace space;
  Parser parser(space);
  ParseOptions options;
  if (!paths.empty()) options.keep_mask = *space.add_keep_projection(paths);
  std::size_t bytes = 0;
  for (auto _ : state) {
    const Result<ObjectRef> object = parser.parse(json, options);
    bytes = object->bytes();
    benchmark::DoNotOptimize(object->get());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * json.size()));
  state.counters["json_bytes"] = static_cast<double>(json.size());
  state.counters["object_bytes"] = static_cast<double>(bytes);
}

void parse_pod(benchmark::State& state) { parse(state, "pod.json", {}); }
void parse_pod_projected(benchmark::State& state) { parse(state, "pod.json", replicaset_paths()); }
void parse_replicaset(benchmark::State& state) { parse(state, "replicaset.json", {}); }
BENCHMARK(parse_pod);
BENCHMARK(parse_pod_projected);
BENCHMARK(parse_replicaset);

/// The recorded pod as the API server sends it in protobuf.
std::string pod_protobuf() {
  return encode_protobuf(parse_json(golden("pod.json")).value_or(Json())).value_or("");
}

void parse_protobuf(benchmark::State& state, const std::vector<std::string>& paths) {
  const std::string bytes = pod_protobuf();
  ObjectSpace space;
  ProtobufParser parser(space);
  ParseOptions options;
  if (!paths.empty()) options.keep_mask = *space.add_keep_projection(paths);
  for (auto _ : state) benchmark::DoNotOptimize(parser.parse(bytes, options)->get());
  state.counters["protobuf_bytes"] = static_cast<double>(bytes.size());
}
void parse_pod_protobuf(benchmark::State& state) { parse_protobuf(state, {}); }
void parse_pod_protobuf_projected(benchmark::State& state) {
  parse_protobuf(state, replicaset_paths());
}
BENCHMARK(parse_pod_protobuf);
BENCHMARK(parse_pod_protobuf_projected);

/// One read through the ABI's table, as a plugin makes it.
void read_member(benchmark::State& state, const char* parent, const char* key, bool masked) {
  ObjectSpace space;
  davit_object_v1 table{};
  fill_object_table(table);
  const Result<ObjectRef> pod = parse_object(space, golden("pod.json"));
  const Mask mask = masked ? *space.add_projection(replicaset_paths()) : kFullMask;
  const davit_value from = pod->root(mask)[parent].raw;
  const davit_name name = space.intern(key);
  benchmark::DoNotOptimize(table);
  for (auto _ : state) {
    davit_value out;
    benchmark::DoNotOptimize(table.member(from, name, &out));
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK_CAPTURE(read_member, first, "metadata", "name", false);
BENCHMARK_CAPTURE(read_member, far, "metadata", "ownerReferences", false);
BENCHMARK_CAPTURE(read_member, missing, "metadata", "deletionTimestamp", false);
BENCHMARK_CAPTURE(read_member, masked, "metadata", "ownerReferences", true);

void read_path(benchmark::State& state) {
  ObjectSpace space;
  davit_object_v1 table{};
  fill_object_table(table);
  const Result<ObjectRef> pod = parse_object(space, golden("pod.json"));
  const davit_name path[] = {space.intern("status"), space.intern("phase")};
  benchmark::DoNotOptimize(table);
  for (auto _ : state) {
    davit_value out;
    davit_str text;
    table.path(pod->root().raw, path, 2, &out);
    benchmark::DoNotOptimize(table.string(out, &text));
    benchmark::DoNotOptimize(text);
  }
}
BENCHMARK(read_path);

void read_label(benchmark::State& state) {
  ObjectSpace space;
  davit_object_v1 table{};
  fill_object_table(table);
  const Result<ObjectRef> pod = parse_object(space, golden("pod.json"));
  const davit_value labels = pod->root()["metadata"]["labels"].raw;
  constexpr std::string_view kKey = "app.kubernetes.io/name";
  benchmark::DoNotOptimize(table);
  for (auto _ : state) {
    davit_value out;
    benchmark::DoNotOptimize(table.lookup(labels, {kKey.data(), kKey.size()}, &out));
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(read_label);

void hash_template(benchmark::State& state) {
  ObjectSpace space;
  const Result<ObjectRef> set = parse_object(space, golden("replicaset.json"));
  const Value pod_template = set->root()["spec"]["template"];
  for (auto _ : state) benchmark::DoNotOptimize(pod_template.hash());
}
BENCHMARK(hash_template);

void compare_templates(benchmark::State& state) {
  ObjectSpace space;
  const Result<ObjectRef> a = parse_object(space, golden("replicaset.json"));
  const Result<ObjectRef> b = parse_object(space, golden("replicaset.json"));
  for (auto _ : state) {
    benchmark::DoNotOptimize(a->root()["spec"]["template"] == b->root()["spec"]["template"]);
  }
}
BENCHMARK(compare_templates);

/// A list of 20,000 pods, each with a name and UID of its own.
std::string list_body() {
  const std::string pod = golden("pod.json");
  std::string body =
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[)";
  const std::size_t name = pod.find("x7k2p");
  const std::size_t uid = pod.find("\"uid\":\"") + 7;
  for (int i = 0; i < 20'000; ++i) {
    if (i > 0) body += ',';
    const std::size_t at = body.size();
    body += pod;
    const std::string number = std::to_string(10'000 + i);
    body.replace(at + name, 5, number);
    body.replace(at + uid, 5, number);
  }
  return body + "]}";
}

constexpr std::size_t kChunk = 16 * 1024;  // The size of curl's chunks.

template <typename Splitter>
Status feed_all(Splitter& splitter, std::string_view body, const ItemSink& sink) {
  for (std::size_t at = 0; at < body.size(); at += kChunk) {
    if (Status s = splitter.feed(body.substr(at, kChunk), sink); !s.ok()) return s;
  }
  return splitter.finish();
}

void split_list(benchmark::State& state) {
  const std::string body = list_body();
  std::size_t items = 0;
  const ItemSink sink = [&](std::string_view) {
    ++items;
    return Status();
  };
  for (auto _ : state) {
    ListSplitter splitter;
    if (!feed_all(splitter, body, sink).ok()) state.SkipWithError("the body was refused");
  }
  benchmark::DoNotOptimize(items);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * body.size()));
}
BENCHMARK(split_list)->Unit(benchmark::kMillisecond);

/// The work of filling a cache from one list, less the store itself.
void fill_20000_pods(benchmark::State& state) {
  const std::string body = list_body();
  ObjectSpace space;
  const ParseOptions options{.keep_mask = *space.add_keep_projection(replicaset_paths())};
  std::size_t bytes = 0;
  for (auto _ : state) {
    std::vector<ObjectRef> pods;
    Parser parser(space);
    const ItemSink sink = [&](std::string_view item) {
      Result<ObjectRef> pod = parser.parse(item, options);
      if (!pod) return pod.error();
      pods.push_back(std::move(*pod));
      return Status();
    };
    ListSplitter splitter;
    if (!feed_all(splitter, body, sink).ok()) state.SkipWithError("the body was refused");
    bytes = 0;
    for (const ObjectRef& pod : pods) bytes += pod.bytes();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * body.size()));
  state.counters["MiB_held"] = static_cast<double>(bytes) / (1 << 20);
}
BENCHMARK(fill_20000_pods)->Unit(benchmark::kMillisecond);

void append_field(std::string& out, char tag, std::string_view content) {
  out += tag;
  std::size_t size = content.size();
  for (; size >= 0x80; size >>= 7) out += static_cast<char>(size | 0x80);
  out += static_cast<char>(size);
  out += content;
}

/// The list of list_body() in protobuf.
std::string protobuf_list_body() {
  constexpr char kFirst = '\x0a';   // Field 1 of any message, with its length.
  constexpr char kSecond = '\x12';  // Field 2.
  const std::string pod(read_envelope(pod_protobuf()).raw);
  const std::size_t name = pod.find("x7k2p");
  const std::size_t uid = pod.find("b8d127b6");
  std::string list;
  append_field(list, kFirst,
               "\x12\x01"
               "1");  // ListMeta.resourceVersion.
  for (int i = 0; i < 20'000; ++i) {
    std::string item = pod;
    const std::string number = std::to_string(10'000 + i);
    item.replace(name, 5, number);
    item.replace(uid, 5, number);
    append_field(list, kSecond, item);
  }
  std::string body("k8s\0", 4);
  append_field(body, kFirst, "\x0a\x02v1\x12\x07PodList");
  append_field(body, kSecond, list);
  return body;
}

/// fill_20000_pods() in protobuf.
void fill_20000_pods_protobuf(benchmark::State& state) {
  const std::string body = protobuf_list_body();
  const ProtobufType type = *item_type("v1", "PodList");
  ObjectSpace space;
  const ParseOptions options{.keep_mask = *space.add_keep_projection(replicaset_paths())};
  for (auto _ : state) {
    std::vector<ObjectRef> pods;
    ProtobufParser parser(space);
    const ItemSink sink = [&](std::string_view item) {
      Result<ObjectRef> pod = parser.parse(item, type, options);
      if (!pod) return pod.error();
      pods.push_back(std::move(*pod));
      return Status();
    };
    ProtobufListSplitter splitter;
    if (!feed_all(splitter, body, sink).ok()) state.SkipWithError("the body was refused");
    benchmark::DoNotOptimize(pods.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * body.size()));
}
BENCHMARK(fill_20000_pods_protobuf)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace davit::host
