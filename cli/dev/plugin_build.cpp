#include "cli/dev/plugin_build.hpp"

#include <utility>

#include "cli/dev/build_output.hpp"
#include "host/loading/staging.hpp"
#include "lib/base/absolute_path.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::filesystem::path absolute(const std::string& path) {
  std::filesystem::path out = absolute_path(path);
  return out.has_filename() ? out : out.parent_path();
}

/// The folder of an installed davit's SDK, for find_package(); empty if this davit is not
/// installed.
std::string sdk_prefix() {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  const std::filesystem::path prefix = program.parent_path().parent_path();
  return std::filesystem::exists(prefix / "include/davit/abi.h", failed) ? prefix.string() : "";
}

}  // namespace

PluginBuild::PluginBuild(const DevOptions& options)
    : options_(options),
      source_(absolute(options.directory)),
      build_(options.build_directory.empty() ? source_ / "build" / "davit-dev"
                                             : absolute(options.build_directory)) {}

PluginBuild::Outcome PluginBuild::run(const std::vector<std::string>& argv,
                                      ToolObserver& observer) const {
  ToolRun tool = run_tool(argv, observer);
  Outcome out;
  out.lines = std::move(tool.lines);
  if (tool.end == ToolRun::End::kStopped) {
    out.what = Outcome::What::kStopped;
  } else if (tool.end == ToolRun::End::kNotStarted) {
    out.what = Outcome::What::kNoTool;
    out.lines = {"there is no program " + argv.front() + ": install it, or add it to PATH"};
  } else if (tool.code == 0) {
    out.what = Outcome::What::kBuilt;
  }
  return out;
}

PluginBuild::Outcome PluginBuild::configure(ToolObserver& observer) {
  // An optimised build takes longer than what it saves a controller that one person looks at.
  std::vector<std::string> cmake = {"cmake",
                                    "-S",
                                    source_.string(),
                                    "-B",
                                    build_.string(),
                                    "-G",
                                    "Ninja",
                                    "-DCMAKE_BUILD_TYPE=Debug",
                                    "-DDAVIT_PLUGIN_PCH=ON"};
  const std::string prefix = sdk_prefix();
  if (!prefix.empty()) cmake.push_back("-DCMAKE_PREFIX_PATH=" + prefix);
  cmake.insert(cmake.end(), options_.cmake_args.begin(), options_.cmake_args.end());
  Outcome out = run(cmake, observer);
  if (out.what != Outcome::What::kBuilt) {
    if (prefix.empty() && lacks_davit(out.lines)) {
      out.lines.emplace_back(
          "This davit is not installed: use an installed one, or name the folder of its SDK with "
          "--cmake-arg=-DCMAKE_PREFIX_PATH=DIR");
    }
    return out;
  }
  out = run({"ninja", "-C", build_.string(), "-t", "targets", "all"}, observer);
  if (out.what != Outcome::What::kBuilt) return out;
  Result<std::string> target = plugin_target(out.lines, options_.plugin, build_);
  if (!target) {
    out.what = Outcome::What::kFailed;
    out.lines = {target.error().message()};
    return out;
  }
  target_ = std::move(*target);
  plugin_ = (build_ / target_).lexically_normal();
  return out;
}

PluginBuild::Outcome PluginBuild::compile(ToolObserver& observer) {
  Outcome out = run({"ninja", "-C", build_.string(), target_}, observer);
  if (out.what != Outcome::What::kBuilt) return out;
  const Result<TrustedFile> file = read_plugin_file(plugin_);
  if (!file) {
    out.what = Outcome::What::kFailed;
    out.lines = {file.error().message()};
  } else if (std::exchange(digest_, file->digest) == file->digest) {
    out.what = Outcome::What::kUnchanged;
  }
  return out;
}

PluginBuild::Outcome PluginBuild::begin(ToolObserver& observer) {
  target_.clear();
  return again(observer);
}

PluginBuild::Outcome PluginBuild::again(ToolObserver& observer) {
  const auto begin = steady_clock::now();
  Outcome out;
  if (target_.empty()) out = configure(observer);
  if (!target_.empty()) out = compile(observer);
  out.lines = compiler_lines(out.lines);
  out.time = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
  return out;
}

}  // namespace davit::host
