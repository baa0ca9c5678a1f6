/// `davit run` as a process of its own, and a server that knows no resource.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <davit/kube/time.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/unique_fd.hpp"
#include "tests/host/api/tiny_server.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {

/// The program, with what it writes on standard error.
class Program {
 public:
  explicit Program(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), DAVIT_PROGRAM);
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    UniqueFd write_end(pipe[1]);
    read_end_ = UniqueFd(pipe[0]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, read_end_.get());
    std::vector<char*> argv;
    for (std::string& each : arguments) argv.push_back(each.data());
    argv.push_back(nullptr);
    EXPECT_EQ(::posix_spawn(&process_, DAVIT_PROGRAM, &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (process_ > 0) (void)wait();
  }

  /// Reads until `text` has come or the program has ended.
  void await(const std::string& text) {
    std::array<char, 4096> piece{};
    while (said_.find(text) == std::string::npos) {
      const ssize_t got = ::read(read_end_.get(), piece.data(), piece.size());
      if (got <= 0) return;
      said_.append(piece.data(), static_cast<std::size_t>(got));
    }
  }
  void terminate() const { ::kill(process_, SIGTERM); }
  /// Its exit code; -1 when a signal ended it.
  int wait() {
    await("what is never said");
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] const std::string& said() const { return said_; }

 private:
  UniqueFd read_end_;
  pid_t process_ = 0;
  std::string said_;
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
