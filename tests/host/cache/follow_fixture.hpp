/// Informers that share the threads of FollowThreads, on a scripted transport.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/api/rest_client.hpp"
#include "host/cache/follow_threads.hpp"
#include "host/cache/informer.hpp"
#include "host/cache/rest_list_watch.hpp"
#include "host/cache/server_contact.hpp"
#include "lib/base/text_file.hpp"
#include "tests/host/cache/cache_fixture.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/recording_rest_metrics.hpp"

namespace davit::host {

/// The threads of this process with a name.
inline std::size_t threads_named(std::string_view name) {
  std::size_t count = 0;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
    const Result<std::string> comm = read_text_file(each.path() / "comm");
    if (comm && comm->substr(0, comm->find('\n')) == name) ++count;
  }
  return count;
}

inline std::string this_thread_name() {
  const Result<std::string> comm = read_text_file("/proc/thread-self/comm");
  return comm ? comm->substr(0, comm->find('\n')) : comm.error().message();
}

/// Counts what an informer reports; another thread waits for it.
class AwaitedListener final : public Listener {
 public:
  void on_initial(std::vector<ObjectRef>) override { count(initials_); }
  void on_change(const Change&) override { count(changes_); }
  void on_availability() override { count(availabilities_); }
  void await_initial() { await(initials_, 1); }
  void await_changes(int wanted) { await(changes_, wanted); }
  void await_availability() { await(availabilities_, 1); }

 private:
  void count(int& what) {
    MutexLock lock(mutex_);
    ++what;
    changed_.notify_all();
  }
  void await(const int& what, int wanted) {
    MutexLock lock(mutex_);
    while (what < wanted) changed_.wait(mutex_);
  }

  Mutex mutex_;
  CondVar changed_;
  int initials_ GUARDED_BY(mutex_) = 0;
  int changes_ GUARDED_BY(mutex_) = 0;
  int availabilities_ GUARDED_BY(mutex_) = 0;
};

inline std::string config_map_json(std::string_view name, std::string_view version) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + std::string(name) +
         R"(","namespace":"ns","uid":"u","resourceVersion":")" + std::string(version) + R"("}})";
}

inline std::string config_map_event(std::string_view name, std::string_view version) {
  return R"({"type":"ADDED","object":)" + config_map_json(name, version) + "}\n";
}

inline const std::string kEmptyList =
    R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[]})";

/// ConfigMaps of many namespaces, "ns0", "ns1", …: each is a watch.
class FollowTest : public ::testing::Test {
 protected:
  /// Responds to every list with none, and keeps each watch open.
  void serve() {
    transport_.set_script([](const HttpRequest& request) {
      const bool is_watch = request.target.find("watch=true") != std::string::npos;
      return is_watch ? test::open_response(200)
                      : test::ScriptedResponse{.status = 200, .body = kEmptyList};
    });
  }

  struct Followed {
    AwaitedListener listener;
    std::unique_ptr<Informer> informer;
  };

  FollowTest() {
    options_.streaming_list = false;
    options_.format = WireFormat::kJson;
    options_.backoff_base = Duration::zero();
  }

  /// Follows one more namespace.
  Followed& follow() {
    Followed& made = followed_.emplace_back();
    const std::string ns = "ns" + std::to_string(followed_.size() - 1);
    made.informer =
        std::make_unique<Informer>(InformerSpec{{"", "v1", "configmaps"}, {}, {}, {}, ns},
                                   InformerSeams{.api = api_,
                                                 .space = space_,
                                                 .clock = clock_,
                                                 .random = *random_,
                                                 .metrics = metrics_,
                                                 .contact = &contact_,
                                                 .threads = &threads_},
                                   Logger(log_), options_);
    made.informer->add_listener(made.listener);
    EXPECT_TRUE(made.informer->start().ok());
    return made;
  }

  /// The numbers of all watches of a namespace so far, oldest first.
  [[nodiscard]] std::vector<std::size_t> watches_of(std::string_view ns) const {
    std::vector<std::size_t> out;
    const std::vector<HttpRequest> requests = transport_.requests();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const std::string& target = requests[i].target;
      const bool is_its = target.find("/" + std::string(ns) + "/") != std::string::npos;
      if (is_its && target.find("watch=true") != std::string::npos) out.push_back(i);
    }
    return out;
  }

  ReflectorOptions options_;
  test::FakeClock clock_;
  test::FakeTransport transport_;
  test::RecordingRestMetrics rest_metrics_;
  test::RecordingLogSink log_{5};
  RestClient client_{transport_, clock_, rest_metrics_, Logger(log_), {.rate = {-1, 0}}};
  RestListWatch api_{client_};
  ObjectSpace space_;
  std::unique_ptr<Random> random_ = make_seeded_random(7);
  CacheMetrics metrics_;
  ServerContact contact_;
  FollowThreads threads_{api_, clock_, 1};
  std::deque<Followed> followed_;
};

}  // namespace davit::host
