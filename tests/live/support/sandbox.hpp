/// `davit sandbox` as a process of its own, for tests that talk to it as a user does.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/live/support/process.hpp"

namespace davit::live {

/// Listens on a free loopback port. Stopped by pid and removed when this goes.
class Sandbox {
 public:
  /// Blocks until it serves; ends the program with its output when it does not. Runs no controllers
  /// of plugins unless `flags` name some: most tests run them beside it.
  explicit Sandbox(const std::vector<std::string>& flags = {});

  /// Kills it, and starts it again on the same port: with the cluster that it had if `flags` have
  /// --data, else with a new one. Blocks until it serves.
  void restart();

  [[nodiscard]] std::string kubeconfig() const { return (scratch_.path() / "kubeconfig").string(); }
  /// "https://127.0.0.1:41234", from the kubeconfig.
  [[nodiscard]] std::string server() const;
  /// The CA's certificate as a file, from the kubeconfig.
  [[nodiscard]] std::string ca_file();
  [[nodiscard]] Outcome kubectl(const std::vector<std::string>& args,
                                const std::string& input = "") const;
  /// Starts `davit run` with the plugins of the build tree against it.
  [[nodiscard]] std::unique_ptr<Process> davit(const std::vector<std::string>& flags = {});
  /// Starts kube-controller-manager of assets() with these controllers ("deployment,replicaset").
  [[nodiscard]] std::unique_ptr<Process> controller_manager(
      const std::string& controllers, const std::vector<std::string>& flags = {});
  [[nodiscard]] std::string output() const { return process_->output(); }
  [[nodiscard]] Process& process() { return *process_; }

 private:
  void start();

  ScratchDir scratch_;
  std::vector<std::string> argv_;
  std::unique_ptr<Process> process_;
};

}  // namespace davit::live
