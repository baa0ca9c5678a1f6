/// The fixture of tests of a cluster with injected faults.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/invariants.hpp"
#include "tests/live/support/load.hpp"

namespace davit::live {

/// Deployments of ten pods each, with the default surge of 25 %.
inline constexpr int kReplicas = 10;
inline constexpr int kMostWanted = kReplicas + 3;
inline constexpr std::chrono::minutes kWaitLimit{4};

/// A control plane of its own for each test, with kubelets.
class ResilienceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (assets().empty()) GTEST_SKIP() << no_assets();
    cluster_ = std::make_unique<ControlPlane>(options());
    kubelet_ = run_pods();
  }
  /// A failure shows what the hosts said.
  void TearDown() override {
    if (!HasFailure() || cluster_ == nullptr) return;
    for (const auto& file : std::filesystem::directory_iterator(cluster_->scratch())) {
      const std::string name = file.path().filename().string();
      if (name.starts_with("davit-") || name.starts_with("controller-manager-"))
        std::cout << name << ":\n" << read_file(file.path()) << "\n";
    }
  }

  /// Flags of the API server beside the usual ones.
  [[nodiscard]] virtual ControlPlaneOptions options() { return {}; }
  /// Starts the process that makes pods Running and Ready.
  [[nodiscard]] virtual std::unique_ptr<Process> run_pods() { return cluster().kubelet(); }
  [[nodiscard]] ControlPlane& cluster() const { return *cluster_; }
  /// Users that may do everything: the audit log identifies their writes.
  void make_administrators(const std::vector<std::string>& users) const {
    std::vector<std::string> args = {"create", "clusterrolebinding", "hosts",
                                     "--clusterrole=cluster-admin"};
    for (const std::string& each : users) args.push_back("--user=" + each);
    cluster().must(args);
  }
  /// Waits for a text in what a program prints.
  [[nodiscard]] static testing::AssertionResult says(const Process& process,
                                                     const std::string& text) {
    const auto is_there = [&] { return process.output().find(text) != std::string::npos; };
    if (eventually(kWaitLimit, is_there)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << '"' << text << "\" is missing in:\n" << process.output();
  }

  [[nodiscard]] testing::AssertionResult all_rolled_out(int deployments) const {
    const auto is_done = [&] { return rolled_out(cluster(), deployments, kReplicas); };
    if (eventually(kWaitLimit, is_done, std::chrono::milliseconds(200))) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure()
           << cluster().kubectl({"get", "deployments,replicasets", "--namespace=default"}).out;
  }

 private:
  std::unique_ptr<ControlPlane> cluster_;
  std::unique_ptr<Process> kubelet_;
};

}  // namespace davit::live
