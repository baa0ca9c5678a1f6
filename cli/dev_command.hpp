/// `davit dev`: builds a plugin, runs it, and swaps it whenever its source has been saved.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace davit::host {

struct DevOptions {
  enum class Debug { kNo, kYes };

  std::string directory = ".";          ///< The folder of the plugin's CMakeLists.txt.
  std::string build_directory;          ///< Empty: DIRECTORY/build/davit-dev.
  std::string kubeconfig;               ///< Empty: starts a sandbox.
  std::string plugin;                   ///< The file NAME.so to run; empty: the one that is built.
  std::vector<std::string> cmake_args;  ///< For the first cmake.
  std::vector<std::string> configs;     ///< See read_controller_configs().
  std::string definitions;              ///< Folder of CustomResourceDefinitions; empty: none.
  std::string objects;                  ///< Folder of objects for the sandbox; empty: none.
  Debug debug = Debug::kNo;             ///< kYes: print how to attach gdb.
};

/// Runs until a signal comes. Returns 0 then, 1 when it could not begin, 2 for usage mistakes.
[[nodiscard]] int run_dev(const DevOptions& options, std::ostream& out, std::ostream& err);

}  // namespace davit::host
