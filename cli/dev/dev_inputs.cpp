#include "cli/dev/dev_inputs.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/absolute_path.hpp"

namespace davit::host {
namespace {

std::filesystem::path absolute(const std::string& path) {
  if (path.empty()) return {};
  std::filesystem::path made = absolute_path(path);
  return made.has_filename() ? made : made.parent_path();
}

}  // namespace

DevInputs::DevInputs(const DevOptions& options)
    : flags_(options.configs), content_{absolute(options.definitions), absolute(options.objects)} {}

Status DevInputs::read() {
  if (Status s = read_configs(); !s.ok()) return s;
  const ClusterObjects files = content_.read();
  if (files.mistakes.empty()) return {};
  return {Code::kInvalid, lines_of(files.mistakes)};
}

Status DevInputs::read_configs() {
  Result<std::vector<ControllerConfig>> read = read_controller_configs(flags_);
  if (read) configs_ = std::move(*read);
  return read.error();
}

std::vector<std::filesystem::path> DevInputs::paths() const {
  std::vector<std::filesystem::path> out;
  for (const ControllerConfig& each : configs_) out.push_back(absolute(each.file));
  for (const std::filesystem::path& each : {content_.definitions, content_.objects}) {
    if (!each.empty()) out.push_back(each);
  }
  return out;
}

Status DevInputs::follow(const std::filesystem::path& path, Role role) {
  std::error_code failed;
  const bool is_folder = std::filesystem::is_directory(path, failed);
  Result<SourceWatch> watch =
      is_folder ? SourceWatch::open(path, {})
                : SourceWatch::open(path.parent_path(), {}, SourceWatch::Depth::kOne);
  if (!watch) return watch.error();
  followed_.push_back({std::move(*watch), is_folder ? "" : path.filename().string(), role});
  return {};
}

Status DevInputs::watch() {
  for (const ControllerConfig& each : configs_) {
    if (Status s = follow(absolute(each.file), Role::kConfig); !s.ok()) return s;
  }
  for (const std::filesystem::path& each : {content_.definitions, content_.objects}) {
    if (each.empty()) continue;
    if (Status s = follow(each, Role::kContent); !s.ok()) return s;
  }
  return {};
}

std::vector<int> DevInputs::fds() const {
  std::vector<int> out;
  for (const Followed& each : followed_) out.push_back(each.watch.fd());
  return out;
}

DevInputs::Saved DevInputs::take() {
  Saved saved;
  for (Followed& each : followed_) {
    const std::vector<std::string> files = each.watch.take();
    const auto found = std::find_if(files.begin(), files.end(), [&](const std::string& file) {
      return each.file.empty() || file == each.file;
    });
    if (found == files.end()) continue;
    (each.role == Role::kConfig ? saved.config : saved.content) = *found;
  }
  return saved;
}

}  // namespace davit::host
