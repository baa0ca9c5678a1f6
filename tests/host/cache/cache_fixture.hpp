/// A scripted API server and objects for the tests of the cache.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/api/discovery.hpp"
#include "host/cache/informer.hpp"
#include "host/object/metadata.hpp"
#include "host/object/parse.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {

struct PodSpec {
  std::string ns = "default";
  std::string name;
  std::string version;
  std::string uid{};  // Empty: "uid-" and the name.
  std::string node{};
  std::string owner{};  // UID of the controlling owner.
  bool deleting = false;
  std::string kind = "Pod";
  std::string labels{};  // Members of a JSON object.
};

inline std::string json_of(const PodSpec& pod) {
  std::string json = R"({"apiVersion":"v1","kind":")" + pod.kind + R"(","metadata":{"name":")" +
                     pod.name + R"(","namespace":")" + pod.ns + R"(","uid":")" +
                     (pod.uid.empty() ? "uid-" + pod.name : pod.uid) + R"(","resourceVersion":")" +
                     pod.version + R"(","managedFields":[{"manager":"kubectl"}])";
  if (pod.deleting) json += R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";
  if (!pod.owner.empty()) {
    json += R"(,"ownerReferences":[{"kind":"ReplicaSet","name":"rs","uid":")" + pod.owner +
            R"(","controller":true}])";
  }
  if (!pod.labels.empty()) json += R"(,"labels":{)" + pod.labels + "}";
  return json + R"(},"spec":{"nodeName":")" + pod.node + R"("}})";
}

inline std::string list_json(std::string_view version, const std::vector<PodSpec>& pods,
                             std::string_view continue_token = "") {
  std::string json = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" +
                     std::string(version) + R"(","continue":")" + std::string(continue_token) +
                     R"("},"items":[)";
  for (const PodSpec& pod : pods) json += (json.back() == '[' ? "" : ",") + json_of(pod);
  return json + "]}";
}

inline std::string event_json(std::string_view type, const PodSpec& pod) {
  return R"({"type":")" + std::string(type) + R"(","object":)" + json_of(pod) + "}\n";
}

inline std::string bookmark_json(std::string_view version) {
  return R"({"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"Pod","metadata":{)"
         R"("resourceVersion":")" +
         std::string(version) + R"("}}})";
}

inline std::string initial_end_json(std::string_view version) {
  return R"({"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"Pod","metadata":{)"
         R"("resourceVersion":")" +
         std::string(version) + R"(","annotations":{"k8s.io/initial-events-end":"true"}}}})";
}

inline std::string error_json(int code, std::string_view reason) {
  return R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure",)"
         R"("message":"failed","reason":")" +
         std::string(reason) + R"(","code":)" + std::to_string(code) + "}}";
}

inline Status api_error(int http_status, Code code, std::string reason,
                        std::vector<std::string> causes = {}) {
  ApiDetail detail;
  detail.http_status = http_status;
  detail.reason = std::move(reason);
  detail.causes = std::move(causes);
  return {code, "refused with " + std::to_string(http_status), std::move(detail)};
}

/// Plays one reply after the other and remembers what was asked.
class ScriptedApi final : public ListWatch {
 public:
  struct Reply {
    std::string body{};
    Status end{};
    Duration lasts = std::chrono::seconds(60);  // Passes after the body.
    std::function<void()> during{};             // Runs after the body.
    std::size_t chunk = 0;                      // The body is cut into pieces so long; 0: one.
    bool opens = end.ok() || lasts >= std::chrono::seconds(1);  // The server accepts the request.
  };

  explicit ScriptedApi(test::FakeClock& clock) : clock_(clock) {}

  [[nodiscard]] std::shared_ptr<const ApiCatalog> catalog(const ResourceId&,
                                                          std::stop_token) override {
    return known;
  }
  void doubt_catalog() override { ++doubts; }

  Status stream(const Selection& what, const ReflectorRequest& request, std::stop_token stop,
                const ChunkSink& sink) override {
    const bool list = request.kind == ReflectorRequest::Kind::kList;
    asked.push_back((list ? "list " : "watch ") +
                    query_of(request, what.label_selector, what.field_selector));
    formats.push_back(request.format);
    if (replies.empty()) return {Code::kCancelled, "the script has ended"};
    const Reply reply = std::move(replies.front());
    replies.pop_front();
    this->stop = stop;
    if (reply.opens) {
      if (Status s = sink({}); !s.ok()) return s;
    }
    const std::size_t piece = reply.chunk == 0 ? reply.body.size() + 1 : reply.chunk;
    for (std::size_t at = 0; at < reply.body.size(); at += piece) {
      if (Status s = sink(std::string_view(reply.body).substr(at, piece)); !s.ok()) return s;
    }
    clock_.advance(reply.lasts);
    if (reply.during) reply.during();
    if (stop.stop_requested()) return {Code::kCancelled, "stopped"};
    return reply.end;
  }

  std::deque<Reply> replies;
  std::vector<std::string> asked;
  std::vector<WireFormat> formats;  // That were asked for.
  std::stop_token stop;             // The running request's.
  std::shared_ptr<const ApiCatalog> known;
  int doubts = 0;

 private:
  test::FakeClock& clock_;
};

/// Writes down what it hears: "ADDED a@1 initial", "UPDATED a@1->2", "DELETED a@3 tombstone".
class RecordingListener final : public Listener {
 public:
  void on_initial(std::vector<ObjectRef> content) override {
    ++initials;
    for (const ObjectRef& object : content) {
      on_change({.type = ChangeType::kAdded, .initial = true, .old = {}, .current = object});
    }
  }
  void on_change(const Change& change) override { heard.push_back(describe(change)); }
  void on_pause() override { heard_at_pauses.push_back(heard.size()); }
  void on_progress(std::uint64_t version) override { last_version = version; }

  static std::string describe(const Change& change) {
    const Metadata now = metadata(*change.current);
    const std::string version(now.resource_version);
    std::string text = change.type == ChangeType::kAdded     ? "ADDED "
                       : change.type == ChangeType::kUpdated ? "UPDATED "
                                                             : "DELETED ";
    text += std::string(now.name) + "@";
    if (change.type == ChangeType::kUpdated)
      text += std::string(metadata(*change.old).resource_version) + "->";
    text += version;
    if (change.initial) text += " initial";
    if (change.tombstone) text += " tombstone";
    return text;
  }

  std::vector<std::string> heard;
  std::vector<std::size_t> heard_at_pauses;
  int initials = 0;
  std::uint64_t last_version = 0;
};

/// One informer of pods on a scripted server, driven step by step.
class CacheTest : public ::testing::Test {
 protected:
  using Strings = std::vector<std::string>;

  ObjectRef object(const PodSpec& pod) { return *parse_object(space_, json_of(pod)); }

  void make_informer(ReflectorOptions options = {},
                     InformerSpec spec = {{"", "v1", "pods"}, {}, {}, {}}) {
    informer_ = std::make_unique<Informer>(
        std::move(spec), InformerSeams{api_, space_, clock_, *random_, metrics_, {}, &contact_},
        Logger(log_), options);
    ASSERT_TRUE(informer_->prepare().ok());
  }
  /// Lists and watches instead of streaming lists.
  void make_plain_informer() {
    ReflectorOptions options;
    options.streaming_list = false;
    make_informer(options);
  }
  /// One step, which must send a request.
  void step() {
    const std::optional<Time> wait = informer_->reflector().step(stop_.get_token());
    ASSERT_FALSE(wait) << "the reflector wants to wait";
  }
  /// One step, which must want to wait; returns how long, and lets that time pass.
  Duration wait() {
    const std::optional<Time> until = informer_->reflector().step(stop_.get_token());
    EXPECT_TRUE(until) << "the reflector sent a request at once";
    if (!until) return Duration(0);
    const Duration time = *until - clock_.now();
    clock_.advance(time);
    return time;
  }
  void reply(ScriptedApi::Reply reply) { api_.replies.push_back(std::move(reply)); }
  [[nodiscard]] std::string version_of(std::string_view name, std::string_view ns = "default") {
    const ObjectRef held = informer_->store().get(ns, name);
    return held ? std::string(metadata(*held).resource_version) : "(none)";
  }

  test::FakeClock clock_;
  test::RecordingLogSink log_{5};
  ObjectSpace space_;
  std::unique_ptr<Random> random_ = make_seeded_random(7);
  CacheMetrics metrics_;
  ScriptedApi api_{clock_};
  ServerContact contact_;
  std::stop_source stop_;
  std::unique_ptr<Informer> informer_;
};

}  // namespace davit::host
