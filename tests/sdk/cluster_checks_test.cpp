/// The scenarios that every API server must pass, against the test cluster.
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>

#include "tests/support/api_checks/api_checks.hpp"

namespace davit {
namespace {

using std::chrono::milliseconds;

constexpr const char* kServer = "test-cluster";
constexpr milliseconds kTick{100};

class ClusterApi final : public checks::Server {
 public:
  checks::Reply send(const std::string& method, const std::string& target,
                     const checks::Headers& headers, const std::string& body) override {
    testing::RawReply reply = cluster_.exchange({method, target, headers, body});
    return {reply.http_status, std::move(reply.headers), std::move(reply.body)};
  }
  checks::Watched watch(const std::string& target, const checks::Headers& headers,
                        const std::function<void()>& then, std::size_t, bool ends,
                        std::chrono::seconds within) override {
    testing::RawReply reply = cluster_.exchange({"GET", target, headers, {}});
    const auto is_open = [&] { return reply.read_on && reply.read_on(reply.body); };
    then();
    bool ended = !is_open();
    for (auto left = milliseconds(within); ends && !ended && left.count() > 0; left -= kTick) {
      cluster_.skip(kTick);
      ended = !is_open();
    }
    return {{reply.http_status, std::move(reply.headers), std::move(reply.body)}, ended};
  }
  void forget_history() override { cluster_.forget_history(); }
  void pass_time() override { cluster_.skip(kTick); }

 private:
  testing::Cluster cluster_;
};

TEST(ClusterChecksTest, TheTestClusterRespondsAsEveryApiServer) {
  ClusterApi server;
  checks::Runner runner(server, checks::load_differences(kServer));
  for (const checks::Check& check : checks::load_checks()) {
    if (!checks::knows(kServer, check)) continue;
    for (const std::string& failure : runner.play(check)) {
      ADD_FAILURE() << check.id << " (" << check.title << "): " << failure;
    }
  }
}

}  // namespace
}  // namespace davit
