/// A cluster and a host at work on it, in the test's own process and on the real clock.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/local_cluster.hpp"
#include "host/api/rest_client.hpp"
#include "host/object/watch_splitter.hpp"
#include "host/process/host_process.hpp"
#include "lib/kube/json.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {

/// The settings of a host. It has no noticeable rate limit.
struct WholeHostOptions {
  enum class Election { kOff, kByManifest };
  std::vector<std::string> directories;  ///< The plugins' directories.
  std::vector<std::string> controllers;  ///< As --controllers.
  std::string manifest = {};             ///< As --manifest.
  TracingConfig tracing = {};
  Election election = Election::kOff;
};

/// The destructor stops the host before the cluster goes. Mistakes fail the test.
class WholeHost {
 public:
  /// A cluster with so many nodes, on which pods run; without any they stay as they are.
  explicit WholeHost(int nodes = 0);
  ~WholeHost();
  WholeHost(const WholeHost&) = delete;
  WholeHost& operator=(const WholeHost&) = delete;

  /// `way`, when given, leads to transport() and is used until the host is stopped.
  void start(const WholeHostOptions& options, Transport* way = nullptr);
  /// Nothing when there is none.
  void stop();

  [[nodiscard]] HostProcess& host() { return *host_; }
  [[nodiscard]] Transport& transport() { return cluster_->transport(); }

  /// The server's response; patches are merge patches.
  Json send(Verb verb, ResourcePath path, const std::string& body = "");
  Json read(const std::string& target);

  using Done = std::function<bool(WatchType, const Json&)>;
  /// Follows a collection, from its present content or the version `since` on, until an object is
  /// as `done` wants it; returns it.
  Json await(ResourcePath path, const Done& done, const std::string& since = "");
  /// Compares a plugin's shadow with the build that serves, once the shadow has ended a sync.
  [[nodiscard]] ShadowReport await_shadow(const std::string& plugin);

 private:
  std::unique_ptr<Clock> clock_ = make_system_clock();
  std::unique_ptr<Random> random_ = make_seeded_random(1);
  test::RecordingLogSink sink_;
  NoRestMetrics metrics_;
  std::unique_ptr<LocalCluster> cluster_;
  std::unique_ptr<RestClient> client_;
  std::unique_ptr<HostProcess> host_;
};

/// Deployments of the namespace default.
[[nodiscard]] ResourcePath deployment(std::string name);
/// A Deployment "web" in JSON: its pods have one container, "web", with the image "web:1".
[[nodiscard]] std::string web_deployment(int replicas);
/// A merge patch to "web:2".
extern const char* const kSecondImage;
/// Whether a Deployment's latest spec is rolled out to so many available pods.
[[nodiscard]] WholeHost::Done rolled_out(int replicas);
/// Expects that many pods of the namespace default that are not on their way out, of "web:2".
void expect_second_image(WholeHost& system, int pods);

}  // namespace davit::host
