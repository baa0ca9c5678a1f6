/// World: a cluster with the Deployment "d" and a stand-in for the ReplicaSet controller, so that
/// rollouts run to their end without pods.
#pragma once

#include <cstdint>
#include <davit/kube/deployment.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/replica_set.hpp>
#include <davit/testing/cluster.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace davit::deployment {

/// The health that a set's stand-in reports for its pods.
enum class Health { kGood, kNeverReady };

/// A ReplicaSet that is there before the controller looks.
struct SeedSet {
  std::string name{};
  std::string image{};
  std::int64_t replicas = 0;
  std::int64_t available = 0;
  std::string annotations = "{}";
  std::string hash = "seed";
};

class World {
 public:
  static inline const Key kDeployment{"default", "d"};

  /// Upstream's behaviour, which the rows describe.
  static constexpr std::string_view kWriteAtOnce = R"({"writeWindow":"0s"})";

  /// The controller starts with the first sync() or run_until_idle(). `config` is JSON text, which
  /// must outlive the world.
  explicit World(std::string_view config = kWriteAtOnce);

  [[nodiscard]] testing::Cluster& cluster() { return cluster_; }

  // ---- The Deployment ----

  /// "d" as the API server would store it, with its defaults.
  [[nodiscard]] static testing::Json blueprint(std::int64_t replicas, std::string_view image);
  void create(testing::Json deployment) { cluster_.add(std::move(deployment)); }
  void create(std::int64_t replicas, std::string_view image) { create(blueprint(replicas, image)); }
  void edit(const std::function<void(testing::Json&)>& change) {
    cluster_.modify<Deployment>(kDeployment, change);
  }
  void merge(std::string_view patch) { cluster_.merge<Deployment>(kDeployment, patch); }
  void set_image(std::string_view image);
  void scale(std::int64_t replicas);
  [[nodiscard]] Deployment deployment() { return *cluster_.find<Deployment>(kDeployment); }
  [[nodiscard]] std::string condition(std::string_view type);  ///< "True/Reason", "" without it.

  // ---- ReplicaSets ----

  void seed(const SeedSet& set);
  /// Oldest first.
  [[nodiscard]] std::vector<ReplicaSet> sets();
  /// The oldest set with this image, which must be there.
  [[nodiscard]] ReplicaSet set(std::string_view image);
  [[nodiscard]] std::string name_of(std::string_view image) {
    return std::string(set(image).name());
  }
  /// spec.replicas of the set with this image; -1 without one.
  [[nodiscard]] std::int64_t size(std::string_view image);
  /// A pod on a node, controlled by the set.
  void add_pod(std::string_view name, const ReplicaSet& set, std::string_view phase);
  void set_health(std::string_view image, Health health) {
    health_.insert_or_assign(std::string(image), health);
  }

  // ---- Time and work ----

  /// Runs the controller alone, until it rests.
  void sync();
  /// Runs one sync of the Deployment.
  void sync_once();
  /// Runs the controller and the stand-in in turn, until both rest. A second passes a turn.
  void run_until_idle();
  /// One turn of the stand-in: every set's status follows its spec. False: nothing changed.
  bool play_replica_sets();

  /// The messages of all events so far, with names of sets replaced by their images in angles.
  [[nodiscard]] std::vector<std::string> events();
  /// Requests that wrote something, as "patch replicasets/<image>".
  [[nodiscard]] std::vector<std::string> writes();

 private:
  void start();
  [[nodiscard]] std::string with_images(std::string text);

  const std::string_view config_;
  testing::Cluster cluster_;
  bool started_ = false;
  std::map<std::string, Health, std::less<>> health_;
};

}  // namespace davit::deployment
