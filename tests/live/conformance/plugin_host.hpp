/// A host whose plugins a test puts into its directory, on a sandbox. Needs kubectl only.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/live/support/process.hpp"
#include "tests/live/support/sandbox.hpp"

namespace davit::live {

class PluginHostTest : public testing::Test {
 protected:
  /// Puts a plugin's file into the host's directory, as an installer does: it takes the name when
  /// it is whole.
  void place(const std::string& plugin, const std::filesystem::path& from) const;
  [[nodiscard]] std::filesystem::path file(const std::string& plugin) const {
    return plugins() / (plugin + ".so");
  }

  /// A host without election; it may end at once.
  [[nodiscard]] std::unique_ptr<Process> start_any(const std::vector<std::string>& flags = {});
  /// One that stays; it responds `davit ctl`.
  [[nodiscard]] std::unique_ptr<Process> start(const std::vector<std::string>& flags = {});
  [[nodiscard]] Outcome ctl(std::vector<std::string> args) const;
  /// Its output; a failure is one of the test.
  std::string kubectl(const std::vector<std::string>& args) const;
  [[nodiscard]] const std::filesystem::path& scratch() const { return scratch_.path(); }

 private:
  [[nodiscard]] std::filesystem::path plugins() const { return scratch() / "plugins"; }
  [[nodiscard]] std::string socket_flag() const {
    return "--control-socket=" + (scratch() / "davit.sock").string();
  }

  ScratchDir scratch_;
  Sandbox sandbox_;
};

}  // namespace davit::live
