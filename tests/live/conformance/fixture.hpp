/// The fixture of conformance tests on a real API server.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "tests/live/support/control_plane.hpp"

namespace davit::live {

/// Far beyond what anything takes on a busy machine under sanitizers: a limit for what never comes.
inline constexpr std::chrono::minutes kWaitLimit{4};
/// The same for `kubectl rollout status`.
inline constexpr char kRolloutTimeout[] = "--timeout=240s";

/// One control plane for all tests of a program; each test works in a namespace of its own.
class LiveTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!assets().empty()) shared_plane() = std::make_unique<ControlPlane>();
  }
  static void TearDownTestSuite() { shared_plane().reset(); }

  void SetUp() override {
    if (assets().empty()) GTEST_SKIP() << no_assets();
    cluster().must({"create", "namespace", ns()});
  }

  /// A failure shows what the hosts of this test said.
  void TearDown() override {
    if (!HasFailure()) return;
    for (const auto& file : std::filesystem::directory_iterator(cluster().scratch())) {
      const std::string name = file.path().filename().string();
      if (name.starts_with("davit-")) std::cout << name << ":\n" << read_file(file.path()) << "\n";
    }
  }

  [[nodiscard]] static ControlPlane& cluster() { return *shared_plane(); }

  /// The test's name in lower case, which is a DNS label as long as it is at most 63 letters.
  [[nodiscard]] static std::string ns() {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    for (char& each : name) each = static_cast<char>(std::tolower(each));
    return name.substr(0, 63);
  }

  /// kubectl in the test's namespace; fails the test when it fails. Standard output and error.
  static std::string kubectl(std::vector<std::string> args, const std::string& input = "") {
    args.insert(args.end(), {"--namespace", ns()});
    const Outcome outcome = cluster().kubectl(args, input);
    EXPECT_EQ(outcome.code, 0) << args[0] << " " << args[1] << ": " << outcome.out << outcome.err;
    return outcome.out + outcome.err;
  }

  /// Creates a ReplicaSet that wants two pods with the label app=`name`.
  static void create_replica_set(const std::string& name) {
    kubectl({"create", "-f", "-"},
            "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: " + name +
                "}\nspec:\n  replicas: 2\n  selector: {matchLabels: {app: " + name +
                "}}\n  template:\n    metadata: {labels: {app: " + name +
                "}}\n    spec: {containers: [{name: nginx, image: 'nginx:1'}]}\n");
  }

  /// A field of an object, by kubectl's jsonpath; "" when the object is not there.
  static std::string field(const std::string& object, const std::string& jsonpath) {
    return cluster()
        .kubectl({"get", object, "--namespace", ns(), "--output", "jsonpath=" + jsonpath})
        .out;
  }

  /// Waits until the field reads `value`.
  static testing::AssertionResult becomes(const std::string& object, const std::string& jsonpath,
                                          const std::string& value) {
    std::string last;
    if (eventually(
            kWaitLimit, [&] { return (last = field(object, jsonpath)) == value; },
            std::chrono::milliseconds(200))) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure()
           << object << " " << jsonpath << " is \"" << last << "\", not \"" << value << "\"";
  }

  /// Waits until an event of the namespace has this part of "Reason|component|message". Events
  /// are written behind what they are about.
  static bool shows_event(const std::string& part) {
    return eventually(
        kWaitLimit,
        [&] {
          return field("events",
                       "{range .items[*]}{.reason}|{.source.component}|{.message}{\"\\n\"}{end}")
                     .find(part) != std::string::npos;
        },
        std::chrono::milliseconds(200));
  }

  /// Waits until the program has printed `text`.
  static testing::AssertionResult prints(Process& process, const std::string& text) {
    if (eventually(kWaitLimit,
                   [&] {
                     return process.output().find(text) != std::string::npos || !process.running();
                   }) &&
        process.output().find(text) != std::string::npos) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "\"" << text << "\" is missing in:\n" << process.output();
  }

 private:
  /// The one object that is shared by the tests of a suite, as gtest wants it.
  static std::unique_ptr<ControlPlane>& shared_plane() {
    static std::unique_ptr<ControlPlane> plane;
    return plane;
  }
};

}  // namespace davit::live
