// Many watches over sockets and few threads: what the wire may do to them.

#include <map>
#include <thread>

#include "host/transport/curl_transport.hpp"
#include "tests/host/cache/follow_fixture.hpp"
#include "tests/host/transport/tiny_server.hpp"

namespace davit::host {
namespace {

constexpr std::size_t kMany = 60;

std::string chunk_of(std::string_view text) {
  std::array<char, 16> size{};
  static_cast<void>(std::snprintf(size.data(), size.size(), "%zx\r\n", text.size()));
  return std::string(size.data()).append(text).append("\r\n");
}

/// "ns7" of a request for ConfigMaps of a namespace.
std::string namespace_of(const std::string& request) {
  constexpr std::string_view kBefore = "/namespaces/";
  const std::size_t at = request.find(kBefore) + kBefore.size();
  return request.substr(at, request.find('/', at) - at);
}

/// A server of ConfigMaps that has none, and whose watches the test writes to and cuts.
class WatchServer {
 public:
  [[nodiscard]] std::string url() const { return server_.url(); }

  /// Waits until a namespace has been watched so often.
  void await_watches(const std::string& ns, int count) {
    MutexLock lock(mutex_);
    while (begun_[ns] < count) changed_.wait(mutex_);
  }
  [[nodiscard]] int watches(const std::string& ns) {
    MutexLock lock(mutex_);
    return begun_[ns];
  }
  void send(const std::string& ns, const std::string& event) {
    MutexLock lock(mutex_);
    ASSERT_TRUE(open_.at(ns)->write(chunk_of(event)));
  }
  void cut(const std::string& ns) {
    MutexLock lock(mutex_);
    open_.at(ns)->shut_down();
  }
  /// Lists of a namespace get no response from now on.
  void ignore_lists(const std::string& ns) {
    MutexLock lock(mutex_);
    ignored_ = ns;
  }
  void await_ignored() {
    MutexLock lock(mutex_);
    while (!has_ignored_) changed_.wait(mutex_);
  }

 private:
  void serve(Peer& peer) {
    for (std::string request; !(request = peer.read_request()).empty();) {
      const std::string ns = namespace_of(request);
      if (request.find("watch=true") != std::string::npos) {
        peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        MutexLock lock(mutex_);
        open_[ns] = &peer;
        ++begun_[ns];
        changed_.notify_all();
      } else if (!ignores(ns)) {
        peer.respond(kEmptyList);
      }
    }
  }
  bool ignores(const std::string& ns) {
    MutexLock lock(mutex_);
    if (ns != ignored_) return false;
    has_ignored_ = true;
    changed_.notify_all();
    return true;
  }

  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, Peer*> open_ GUARDED_BY(mutex_);  // The last watch of each.
  std::map<std::string, int> begun_ GUARDED_BY(mutex_);
  std::string ignored_ GUARDED_BY(mutex_);
  bool has_ignored_ GUARDED_BY(mutex_) = false;
  TinyServer server_{[this](Peer& peer) { serve(peer); }};  // Last: its threads use the others.
};

class FollowWireTest : public ::testing::Test {
 protected:
  FollowWireTest() {
    ConnectionConfig config;
    config.server = server_.url();
    auto made = make_curl_transport(config, *clock_, rest_metrics_, Logger(log_));
    EXPECT_TRUE(made) << made.error().message();
    transport_ = *std::move(made);
    client_ = std::make_unique<RestClient>(*transport_, *clock_, rest_metrics_, Logger(log_),
                                           RestOptions{.rate = {-1, 0}});
    api_ = std::make_unique<RestListWatch>(*client_);
    threads_ = std::make_unique<FollowThreads>(*api_, *clock_);
  }

  void follow(std::size_t count) {
    ReflectorOptions options;
    options.streaming_list = false;
    options.format = WireFormat::kJson;
    options.backoff_base = std::chrono::milliseconds(1);
    options.backoff_max = std::chrono::milliseconds(10);
    for (std::size_t i = 0; i < count; ++i) {
      auto& [listener, informer] = followed_.emplace_back();
      informer =
          std::make_unique<Informer>(InformerSpec{{"", "v1", "configmaps"}, {}, {}, {}, name(i)},
                                     InformerSeams{.api = *api_,
                                                   .space = space_,
                                                   .clock = *clock_,
                                                   .random = *random_,
                                                   .metrics = metrics_,
                                                   .threads = threads_.get()},
                                     Logger(log_), options);
      informer->add_listener(listener);
      ASSERT_TRUE(informer->start().ok());
    }
  }
  static std::string name(std::size_t number) { return "ns" + std::to_string(number); }

  WatchServer server_;
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  test::RecordingRestMetrics rest_metrics_;
  test::RecordingLogSink log_{5};
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<RestClient> client_;
  std::unique_ptr<RestListWatch> api_;
  ObjectSpace space_;
  std::unique_ptr<Random> random_ = make_seeded_random(7);
  CacheMetrics metrics_;
  std::unique_ptr<FollowThreads> threads_;
  std::deque<std::pair<AwaitedListener, std::unique_ptr<Informer>>> followed_;
};

TEST_F(FollowWireTest, EventsOfManyWatchesArriveThroughFewThreads) {
  follow(kMany);
  for (std::size_t i = 0; i < kMany; ++i) server_.await_watches(name(i), 1);
  for (int version = 6; version < 9; ++version) {
    for (std::size_t i = 0; i < kMany; ++i) {
      server_.send(name(i),
                   config_map_event("a" + std::to_string(version), std::to_string(version)));
    }
  }
  for (auto& [listener, informer] : followed_) listener.await_changes(3);
  EXPECT_EQ(threads_named("davit-watches"), FollowThreads::kThreads);
}

TEST_F(FollowWireTest, WatchesWhoseConnectionsAreCutAreRenewedAndTheOthersStay) {
  follow(kMany);
  for (std::size_t i = 0; i < kMany; ++i) server_.await_watches(name(i), 1);
  for (std::size_t i = 0; i < kMany; i += 2) server_.cut(name(i));
  for (std::size_t i = 0; i < kMany; i += 2) server_.await_watches(name(i), 2);
  for (std::size_t i = 0; i < kMany; ++i) server_.send(name(i), config_map_event("a", "6"));
  for (auto& [listener, informer] : followed_) listener.await_changes(1);
  for (std::size_t i = 1; i < kMany; i += 2) EXPECT_EQ(server_.watches(name(i)), 1);
}

TEST_F(FollowWireTest, AServerThatIgnoresOneListDelaysNoOtherResource) {
  server_.ignore_lists(name(0));
  follow(kMany);
  server_.await_ignored();
  for (std::size_t i = 1; i < kMany; ++i) followed_[i].first.await_initial();
  EXPECT_FALSE(followed_[0].second->has_synced());
}

TEST_F(FollowWireTest, ALongEventIsReadWhileTheOthersGetTheirs) {
  follow(8);
  for (std::size_t i = 0; i < 8; ++i) server_.await_watches(name(i), 1);
  // More than one turn reads, and not its end.
  const std::string event = config_map_event(std::string(std::size_t{1} << 20, 'a'), "6");
  server_.send(name(0), event.substr(0, event.size() / 2));
  for (std::size_t i = 1; i < 8; ++i) server_.send(name(i), config_map_event("b", "6"));
  for (std::size_t i = 1; i < 8; ++i) followed_[i].first.await_changes(1);
  server_.send(name(0), event.substr(event.size() / 2));
  followed_[0].first.await_changes(1);
}

}  // namespace
}  // namespace davit::host
