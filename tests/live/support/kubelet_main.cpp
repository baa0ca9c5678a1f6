/// A stand-in for kubelets: makes pods Running and Ready through the API, as a client like any
/// other.
///
///   davit_test_kubelet KUBECONFIG [--stuck=IMAGE] [--qps=N] [--addresses]
///
/// Pods with a container of image IMAGE never become ready, as those of a bad image do. Pods that
/// do not restart for ever have succeeded at once. A pod that demands a certain node, as those of
/// DaemonSets do, is bound to it first. Pods that are being deleted and were scheduled are finished
/// off. With --addresses they get an IP address. Runs until it is killed.
///
/// bench/compare needs it as it is: `davit sandbox nodes` binds each pod, reports more of it and
/// finishes off deleted ones, several writes where this has one. The measured program would get
/// them all, and the figures of earlier rounds were taken without.
#include <cstdio>
#include <cstring>
#include <davit/kube/time.hpp>
#include <deque>
#include <iostream>
#include <set>
#include <thread>

#include "host/api/connect.hpp"
#include "host/api/rest_client.hpp"
#include "host/config/kubeconfig.hpp"
#include "host/object/metadata.hpp"
#include "host/object/parse.hpp"
#include "host/object/watch_splitter.hpp"
#include "lib/base/spdlog_sink.hpp"

namespace davit::live {
namespace {

using namespace davit::host;  // A program of its own over the host's client.

ResourcePath pod_path(std::string_view ns, std::string_view name, std::string subresource) {
  return {"", "v1", "pods", std::move(subresource), std::string(ns), std::string(name)};
}

enum class Addresses { kNone, kGiven };

class Kubelet {
 public:
  Kubelet(RestClient& client, Clock& clock, std::string stuck_image, Addresses addresses)
      : client_(client),
        clock_(clock),
        stuck_image_(std::move(stuck_image)),
        addresses_(addresses),
        parser_(space_) {}

  void run() {
    const std::jthread writer([this](const std::stop_token& stop) { write(stop); });
    ApiRequest watch;
    watch.verb = Verb::kWatch;
    watch.path = {"", "v1", "pods", "", "", ""};
    for (;;) {
      WatchSplitter splitter;
      // Without a resource version the stream begins with everything that exists.
      const Status ended = client_.stream(watch, {}, [&](std::string_view chunk) {
        return splitter.feed(
            chunk, [this](WatchType type, std::string_view json) { return on_event(type, json); });
      });
      std::cerr << "watch ended: " << ended.message() << std::endl;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }

 private:
  struct Write {
    std::string id;
    ApiRequest request;
  };

  Status on_event(WatchType type, std::string_view json) {
    if (type != WatchType::kAdded && type != WatchType::kModified) return {};
    const Result<ObjectRef> pod = parser_.parse(json);
    if (!pod) return pod.error();
    const Value root = pod->root();
    const Metadata meta = metadata(**pod);
    if (root["metadata"]["deletionTimestamp"]) {
      // With a grace period of 0 it is being removed already.
      const bool removed = root["metadata"]["deletionGracePeriodSeconds"].integer() == 0;
      if (!removed && !root["spec"]["nodeName"].string().empty()) enqueue(meta, finish(meta));
      return {};
    }
    const std::string_view phase = root["status"]["phase"].string();
    if (phase == "Running" || phase == "Succeeded" || is_stuck(root)) return {};
    if (const std::string node = demanded_node(root); !node.empty()) {
      enqueue(meta, bind(meta, node));
    } else if (root["spec"]["restartPolicy"].string() == "Always") {
      enqueue(meta, make_ready(meta, root));
    } else {
      enqueue(meta, make_succeeded(meta));
    }
    return {};
  }

  /// The only node that the affinity of an unscheduled pod admits; "": none.
  static std::string demanded_node(Value pod) {
    std::string node;
    if (!pod["spec"]["nodeName"].string().empty()) return node;
    const Value required =
        pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    required["nodeSelectorTerms"].each([&](Value term) {
      term["matchFields"].each(
          [&](Value field) { field["values"].each([&](Value value) { node = value.string(); }); });
    });
    return node;
  }

  static ApiRequest bind(const Metadata& meta, const std::string& node) {
    ApiRequest request;
    request.verb = Verb::kCreate;
    request.path = pod_path(meta.ns, meta.name, "binding");
    request.body = R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":")" +
                   std::string(meta.name) + R"("},"target":{"kind":"Node","name":")" + node +
                   R"("}})";
    return request;
  }

  static ApiRequest make_succeeded(const Metadata& meta) {
    ApiRequest request;
    request.verb = Verb::kPatch;
    request.patch_type = PatchType::kMerge;
    request.path = pod_path(meta.ns, meta.name, "status");
    request.body = R"({"status":{"phase":"Succeeded"}})";
    return request;
  }

  [[nodiscard]] bool is_stuck(Value pod) const {
    bool stuck = false;
    pod["spec"]["containers"].each([&](Value container) {
      stuck = stuck || (!stuck_image_.empty() && container["image"].string() == stuck_image_);
    });
    return stuck;
  }

  ApiRequest make_ready(const Metadata& meta, Value pod) {
    ApiRequest request;
    request.verb = Verb::kPatch;
    request.patch_type = PatchType::kStrategic;
    request.path = pod_path(meta.ns, meta.name, "status");
    const std::string now = format_time(clock_.wall_now());
    request.body = R"({"status":{"phase":"Running",)" + address() + R"("startTime":")" + now +
                   R"(","conditions":[{"type":"Ready","status":"True","lastTransitionTime":")" +
                   now + R"("},{"type":"ContainersReady","status":"True","lastTransitionTime":")" +
                   now + R"("}],"containerStatuses":[)" + container_statuses(pod) + "]}}";
    return request;
  }

  /// Members of a status, each with a comma.
  std::string address() {
    if (addresses_ == Addresses::kNone) return "";
    ++last_address_;
    const std::string ip = "10." + std::to_string(last_address_ / 65536 % 256) + "." +
                           std::to_string(last_address_ / 256 % 256) + "." +
                           std::to_string(last_address_ % 256);
    return R"("podIP":")" + ip + R"(","podIPs":[{"ip":")" + ip + R"("}],)";
  }

  static std::string container_statuses(Value pod) {
    std::string out;
    pod["spec"]["containers"].each([&out](Value container) {
      out += std::string(out.empty() ? "" : ",") + R"({"name":)" + container["name"].json() +
             R"(,"image":)" + container["image"].json() +
             R"(,"imageID":"","ready":true,"restartCount":0,"started":true})";
    });
    return out;
  }

  static ApiRequest finish(const Metadata& meta) {
    ApiRequest request;
    request.verb = Verb::kDelete;
    request.path = pod_path(meta.ns, meta.name, "");
    request.delete_options.grace_seconds = 0;
    return request;
  }

  /// Once: a server that ends a watch, because its reader is slow, shows every pod again, and one
  /// peer of a comparison would get the second request of each.
  void enqueue(const Metadata& meta, ApiRequest request) {
    std::string id = std::string(meta.uid) + "/" + request.path.subresource +
                     (request.verb == Verb::kDelete ? "delete" : "");
    MutexLock lock(mutex_);
    if (!under_way_.insert(id).second) return;
    waiting_.push_back({std::move(id), std::move(request)});
    more_.notify_one();
  }

  std::vector<Write> take_batch() EXCLUDES(mutex_) {
    constexpr std::size_t kAtOnce = 32;
    std::vector<Write> batch;
    MutexLock lock(mutex_);
    while (waiting_.empty()) more_.wait(mutex_);
    while (!waiting_.empty() && batch.size() < kAtOnce) {
      batch.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    return batch;
  }

  void conclude(Write write, const Status& status) EXCLUDES(mutex_) {
    const Code code = status.code();
    if (code != Code::kOk && code != Code::kNotFound) {
      std::cerr << write.request.path.name << ": " << status.message() << std::endl;
    }
    MutexLock lock(mutex_);
    if (code == Code::kUnavailable || code == Code::kThrottled) {
      waiting_.push_back(std::move(write));
    } else {
      under_way_.erase(write.id);
    }
  }

  void write(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::vector<Write> batch = take_batch();
      std::vector<ApiRequest> requests;
      for (const Write& each : batch) requests.push_back(each.request);
      const std::vector<ApiResponse> responses = client_.batch(requests);
      for (std::size_t i = 0; i < responses.size(); ++i) {
        conclude(std::move(batch[i]), responses[i].status);
      }
    }
  }

  RestClient& client_;
  Clock& clock_;
  const std::string stuck_image_;
  const Addresses addresses_;
  std::uint32_t last_address_ = 0;
  ObjectSpace space_;
  Parser parser_;
  Mutex mutex_;
  CondVar more_;
  std::deque<Write> waiting_ GUARDED_BY(mutex_);
  std::set<std::string> under_way_ GUARDED_BY(mutex_);  // The ids of what waits or is on the wire.
};

int run_kubelet(int argc, char** argv) {
  std::string stuck;
  double qps = -1;
  Addresses addresses = Addresses::kNone;
  for (int i = 2; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--addresses") addresses = Addresses::kGiven;
    if (flag.starts_with("--stuck=")) stuck = flag.substr(std::strlen("--stuck="));
    if (flag.starts_with("--qps=")) qps = std::atof(argv[i] + std::strlen("--qps="));
  }
  KubeconfigOptions lookup;
  lookup.kubeconfig = argv[1];
  lookup.environment = process_environment();
  const Result<ConnectionConfig> config = load_connection(lookup);
  if (!config) return std::cerr << config.error().message() << "\n", 1;
  const auto clock = make_system_clock();
  const auto sink = make_log_sink(LogFormat::kText, 0);
  NoRestMetrics metrics;
  const auto transport = connect(*config, *clock, metrics, Logger(*sink));
  if (!transport) return std::cerr << transport.error().message() << "\n", 1;
  RestClient client(**transport, *clock, metrics, Logger(*sink),
                    RestOptions{.rate = {qps, 50}, .user_agent = user_agent("test-kubelet")});
  Kubelet(client, *clock, stuck, addresses).run();
  return 0;
}

}  // namespace
}  // namespace davit::live

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: davit_test_kubelet KUBECONFIG [--stuck=IMAGE] [--qps=N] [--addresses]\n";
    return 2;
  }
  return davit::live::run_kubelet(argc, argv);
}
