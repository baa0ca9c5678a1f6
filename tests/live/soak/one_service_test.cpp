/// One Service with thousands of pods: what is written for it, with how many requests, and the
/// cost.
///
/// DAVIT_SOAK_BACKENDS sets how many pods (CI: 2000; by hand: 50000).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <vector>

#include "host/api/rest_client.hpp"
#include "host/object/parse.hpp"
#include "tests/live/soak/environment.hpp"
#include "tests/live/support/admin_client.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/cost.hpp"
#include "tests/live/support/sandbox.hpp"
#include "tests/live/support/service_load.hpp"
#include "tests/support/holdings.hpp"
#include "tests/support/http_client.hpp"

namespace davit::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::Each;
using testing::Pair;

constexpr int kSliceMax = 100;
constexpr char kControllers[] = "endpoints-controller,endpointslice-controller";

enum class Peer { kDavitOnTheSandbox, kDavitOnARealServer, kKubeControllerManager };

std::string name_of(const testing::TestParamInfo<Peer>& peer) {
  constexpr const char* kNames[] = {"DavitOnTheSandbox", "DavitOnARealServer",
                                    "KubeControllerManager"};
  return kNames[static_cast<int>(peer.param)];
}

/// The objects stored for the Service "s0".
struct Written {
  std::map<std::string, int> sizes;             ///< Endpoints of each slice.
  std::map<std::string, std::string> versions;  ///< resourceVersion of each slice.
  std::set<std::string> pods;                   ///< In all slices.
  int ready = 0;                                ///< Endpoints of all slices that are.
  int addresses = 0;                            ///< Ready ones of Endpoints.
  std::string over_capacity;                    ///< Annotation of Endpoints.
  std::string endpoints_version;
};

/// The work of a host so far, from its metrics.
struct Work {
  std::map<std::string, int> requests;       ///< The key is the method.
  std::map<std::string, int> slice_changes;  ///< The key is the operation.
  int endpoints_syncs = 0;                   ///< That have ended.
  double queued = 0;                         ///< Keys that wait.
  double running = 0;                        ///< Seconds of syncs that have not ended.
};

Work work_of(int port) {
  std::istringstream page(test::http_get(static_cast<std::uint16_t>(port), "/metrics"));
  Work out;
  for (std::string line; std::getline(page, line);) {
    const std::string name = line.substr(0, line.find('{'));
    const double value = std::strtod(line.c_str() + line.rfind(' ') + 1, nullptr);
    const auto label = [&line](const std::string& key) {
      const std::size_t begin = line.find(key + "=\"");
      if (begin == std::string::npos) return std::string();
      const std::string rest = line.substr(begin + key.size() + 2);
      return rest.substr(0, rest.find('"'));
    };
    if (name == "rest_client_requests_total") {
      out.requests[label("method")] += static_cast<int>(value);
    } else if (name == "endpoint_slice_controller_changes") {
      out.slice_changes[label("operation")] += static_cast<int>(value);
    } else if (name == "workqueue_work_duration_seconds_count" && label("name") == "endpoint") {
      out.endpoints_syncs += static_cast<int>(value);
    } else if (name == "workqueue_depth") {
      out.queued += value;
    } else if (name == "workqueue_unfinished_work_seconds") {
      out.running += value;
    }
  }
  return out;
}

class OneServiceTest : public testing::TestWithParam<Peer> {
 protected:
  void SetUp() override {
    if (GetParam() == Peer::kDavitOnTheSandbox) {
      // Only the test decides what becomes of the pods.
      sandbox_ = std::make_unique<Sandbox>(std::vector<std::string>{"--controllers=gc"});
      client_ = std::make_unique<AdminClient>(sandbox_->kubeconfig());
    } else {
      if (assets().empty()) GTEST_SKIP() << no_assets();
      cluster_ = std::make_unique<ControlPlane>(ControlPlaneOptions{
          {"--max-requests-inflight=2000", "--max-mutating-requests-inflight=1000"}});
      client_ = std::make_unique<AdminClient>(cluster_->kubeconfig());
    }
  }
  void TearDown() override {
    if (HasFailure() && peer_) std::cout << peer_->output() << "\n";
  }

  void start() {
    std::vector<std::string> flags = {"--kube-api-qps=1000", "--kube-api-burst=2000"};
    if (GetParam() == Peer::kKubeControllerManager) {
      peer_ = cluster_->controller_manager(kControllers, flags);
      return;
    }
    port_ = free_port();
    flags.insert(flags.end(), {"--leader-elect=false", "--port=" + std::to_string(port_),
                               std::string("--controllers=") + kControllers});
    peer_ = sandbox_ ? sandbox_->davit(flags) : cluster_->davit(flags);
  }

  [[nodiscard]] Written written() const {
    host::ObjectSpace space;
    Written out;
    const host::ObjectRef slices =
        read(space, "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
             "labelSelector=kubernetes.io/service-name=s0");
    slices.root()["items"].each([&](host::Value slice) {
      const std::string name(slice["metadata"]["name"].string());
      out.versions[name] = slice["metadata"]["resourceVersion"].string();
      out.sizes[name] = static_cast<int>(slice["endpoints"].count());
      slice["endpoints"].each([&](host::Value endpoint) {
        out.pods.emplace(endpoint["targetRef"]["name"].string());
        out.ready += endpoint["conditions"]["ready"].boolean().value_or(false) ? 1 : 0;
      });
    });
    const host::ObjectRef endpoints =
        read(space, "/api/v1/namespaces/default/endpoints", "fieldSelector=metadata.name=s0");
    endpoints.root()["items"].each([&](host::Value item) {
      const host::Value metadata = item["metadata"];
      out.endpoints_version = metadata["resourceVersion"].string();
      out.over_capacity = metadata["annotations"]["endpoints.kubernetes.io/over-capacity"].string();
      item["subsets"].each([&](host::Value subset) {
        out.addresses += static_cast<int>(subset["addresses"].count());
      });
    });
    return out;
  }

  /// Waits until so many pods of the slices are ready and Endpoints are full, and until the peer
  /// has nothing more to do; prints what that took.
  testing::AssertionResult reaches(const std::string& what, int ready) {
    const auto begin = steady_clock::now();
    const bool done = eventually(
        seconds(240 + ready / 50),
        [&] {
          const Written now = written();
          return now.ready == ready && now.addresses == std::min(ready, kEndpointsMax);
        },
        milliseconds(250));
    const std::chrono::duration<double> took = steady_clock::now() - begin;
    (void)wait_idle(peer_->pid(), seconds(60));
    const Cost cost = cost_of(peer_->pid());
    std::cout << what << " by " << name_of({GetParam(), 0}) << ": right after " << took.count()
              << " s; since its start " << cost.cpu_seconds << " s of CPU, peak " << cost.peak_mib
              << " MiB; now " << test::Holdings::of(std::to_string(peer_->pid())) << std::endl;
    return done ? testing::AssertionSuccess() : testing::AssertionFailure() << what;
  }

  [[nodiscard]] host::RestClient& client() const { return client_->client(); }
  [[nodiscard]] bool is_davit() const { return port_ != 0; }
  /// davit's work once it has changed so many slices and has nothing more to do.
  [[nodiscard]] Work work_with(int slice_changes) const {
    Work out;
    EXPECT_TRUE(eventually(
        seconds(240),
        [&] {
          out = work_of(port_);
          int changes = 0;
          for (const auto& [operation, count] : out.slice_changes) changes += count;
          return changes >= slice_changes && out.queued == 0 && out.running == 0;
        },
        milliseconds(100)));
    return out;
  }

 private:
  [[nodiscard]] host::ObjectRef read(host::ObjectSpace& space, const std::string& path,
                                     const std::string& query) const {
    host::ApiRequest request;
    request.raw_path = path;
    request.query = query;
    const host::ApiResponse response = client().call(request);
    if (!response.status.ok()) give_up("cannot read " + path + ": " + response.status.message());
    Result<host::ObjectRef> list = host::parse_object(space, response.body);
    if (!list) give_up("cannot read " + path + ": " + list.error().message());
    return std::move(*list);
  }

  std::unique_ptr<Sandbox> sandbox_;
  std::unique_ptr<ControlPlane> cluster_;
  std::unique_ptr<AdminClient> client_;
  std::unique_ptr<Process> peer_;
  int port_ = 0;
};

TEST_P(OneServiceTest, FillsItsSlicesTruncatesItsEndpointsAndRewritesOneSliceForOnePod) {
  const int backends = from_environment("DAVIT_SOAK_BACKENDS", 2000);
  const int slices = (backends + kSliceMax - 1) / kSliceMax;
  ServiceLoad load(client(), 1, backends);
  load.create();

  start();
  ASSERT_TRUE(reaches(std::to_string(backends) + " pods behind one Service", backends));

  const Written full = written();
  EXPECT_EQ(full.pods.size(), static_cast<std::size_t>(backends)) << "a pod is missing or doubled";
  EXPECT_EQ(full.sizes.size(), static_cast<std::size_t>(slices));
  if (backends % kSliceMax == 0) {
    EXPECT_THAT(full.sizes, Each(Pair(testing::_, kSliceMax)));
  }
  EXPECT_EQ(full.over_capacity, backends > kEndpointsMax ? "truncated" : "");
  Work before;
  if (is_davit()) {
    before = work_with(slices);
    EXPECT_EQ(before.slice_changes["create"], slices) << "each slice is made once";
    constexpr int kRights = 100;  // At most so many does the host have reviewed at its start.
    EXPECT_LE(before.requests["POST"], slices + 1 + kRights);
    EXPECT_EQ(before.slice_changes["update"] + before.slice_changes["delete"], 0);
    // Each sync writes Endpoints that are over their capacity, as upstream's does. How many syncs
    // the start takes is the machine's affair, as long as it is not one for each pod.
    std::cout << before.endpoints_syncs << " syncs of Endpoints, written again "
              << before.requests["PUT"] << " times" << std::endl;
    EXPECT_LE(before.requests["PUT"], before.endpoints_syncs - 1);
    EXPECT_LE(before.endpoints_syncs, std::max(backends / 10, 10));
    EXPECT_EQ(before.requests["PATCH"] + before.requests["DELETE"], 0);
    constexpr int kPage = 500;
    constexpr int kOthers = 30;  // Discovery, lists and watches of what is few.
    EXPECT_LE(before.requests["GET"], backends / kPage + kOthers);
  }

  load.make_unready(0, backends / 2);
  ASSERT_TRUE(reaches("one pod less", backends - 1));

  const Written changed = written();
  std::vector<std::string> rewritten;
  for (const auto& [slice, version] : changed.versions) {
    const auto old = full.versions.find(slice);
    if (old == full.versions.end() || old->second != version) rewritten.push_back(slice);
  }
  EXPECT_THAT(rewritten, testing::SizeIs(1));
  EXPECT_EQ(changed.sizes, full.sizes);
  EXPECT_EQ(changed.pods, full.pods);
  if (is_davit()) {
    Work after = work_with(slices + 1);
    const int syncs = after.endpoints_syncs - before.endpoints_syncs;
    const int endpoints_written = changed.endpoints_version == full.endpoints_version ? 0 : 1;
    EXPECT_EQ(after.slice_changes["update"], 1);
    EXPECT_GE(after.requests["PUT"] - before.requests["PUT"], 1 + endpoints_written);
    EXPECT_LE(after.requests["PUT"] - before.requests["PUT"], 1 + syncs);
    EXPECT_EQ(after.slice_changes["create"], before.slice_changes["create"]);
    EXPECT_EQ(after.requests["PATCH"] + after.requests["DELETE"], 0);
    EXPECT_LE(after.requests["GET"] - before.requests["GET"], 5)
        << "watches that the server ended, no lists";
  }
}

INSTANTIATE_TEST_SUITE_P(Peers, OneServiceTest,
                         testing::Values(Peer::kDavitOnTheSandbox, Peer::kDavitOnARealServer,
                                         Peer::kKubeControllerManager),
                         name_of);

}  // namespace
}  // namespace davit::live
