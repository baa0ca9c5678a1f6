/// `davit run` as a process of its own, and a server that knows no resource.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <davit/kube/time.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/clock.hpp"
#include "tests/host/transport/tiny_server.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {

/// `davit` as a process.
class Program : public test::Program {
 public:
  explicit Program(std::vector<std::string> arguments)
      : test::Program(DAVIT_PROGRAM, std::move(arguments)) {}
};

class RunTest : public testing::Test {
 protected:
  void talk_to(const std::string& cluster, const std::string& user = "{token: t}") {
    kubeconfig_ = directory_.write("kubeconfig",
                                   "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                                   "clusters: [{name: c, cluster: " +
                                       cluster +
                                       "}]\n"
                                       "users: [{name: u, user: " +
                                       user +
                                       "}]\n"
                                       "contexts: [{name: c, context: {cluster: c, user: u}}]\n");
    allow(kubeconfig_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
  /// `name`: that of the plugin in the sample's file.
  void run_plugin(const std::string& sample, const std::string& name = "sample") {
    manifest_ = directory_.write("manifest.yaml",
                                 "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n"
                                 "plugins: [{name: " +
                                     name + ", path: " DAVIT_SAMPLES "/" + sample + ".so}]\n");
  }
  static void allow(const std::string& file, std::filesystem::perms permissions) {
    std::filesystem::permissions(file, permissions);
  }
  [[nodiscard]] std::vector<std::string> arguments() const {
    return {"run",
            "--kubeconfig",
            kubeconfig_,
            "--manifest",
            manifest_,
            "--state-dir",
            directory_.path().string()};
  }

  /// As arguments(), on a server that has no resources, without a lease, with a free port for
  /// probes.
  [[nodiscard]] std::vector<std::string> with_server() {
    talk_to("{server: '" + server_.url() + "'}");
    std::vector<std::string> all = arguments();
    all.insert(all.end(), {"--leader-elect=false", "--bind-address=127.0.0.1", "--port=0"});
    return all;
  }

  /// From now on the server has the Lease of a kube-controller-manager that renews it.
  void lead_elsewhere() { leads_elsewhere_.store(true); }

  TempDirectory directory_;
  std::string kubeconfig_;
  std::string manifest_;

 private:
  void serve(Peer& peer) const {
    for (;;) {
      const std::string request = peer.read_request();
      if (request.empty()) return;
      const auto asks = [&](const char* path) {
        return request.rfind(std::string("GET ") + path + " ", 0) == 0;
      };
      if (asks("/api")) {
        peer.respond(R"({"kind":"APIVersions","versions":[]})");
      } else if (asks("/apis")) {
        peer.respond(R"({"kind":"APIGroupList","apiVersion":"v1","groups":[]})");
      } else if (asks("/version")) {
        peer.respond(R"({"gitVersion":"v1.36.2"})");
      } else if (leads_elsewhere_.load() && request.find("/leases/") != std::string::npos) {
        peer.respond(R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{)"
                     R"("namespace":"kube-system","name":"kube-controller-manager","uid":"u",)"
                     R"("resourceVersion":"1"},"spec":{"holderIdentity":"master-1_1",)"
                     R"("renewTime":")" +
                     format_micro_time(make_system_clock()->wall_now()) + R"("}})");
      } else {
        peer.respond("ok");
      }
    }
  }
  std::atomic<bool> leads_elsewhere_{false};
  TinyServer server_{[this](Peer& peer) { serve(peer); }};
};

}  // namespace davit::host
