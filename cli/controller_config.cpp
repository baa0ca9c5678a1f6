#include "cli/controller_config.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "lib/base/text_file.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {
namespace {

Result<ControllerConfig> read(const std::string& flag) {
  ControllerConfig out;
  const std::size_t equals = flag.find('=');
  // A path with "=" in a folder's name is a path.
  if (equals != std::string::npos && flag.find('/') > equals) {
    out.controller = flag.substr(0, equals);
    out.file = flag.substr(equals + 1);
  } else {
    out.file = flag;
  }
  const Result<std::string> text = read_text_file(out.file);
  if (!text) {
    return Status(Code::kInvalid, "cannot read " + out.file + ": " + text.error().message());
  }
  const YamlDocument document = parse_yaml(*text, out.file);
  if (!document.mistakes.empty()) return Status(Code::kInvalid, document.mistakes.front().str());
  if (document.root.is_null()) {
    out.json = "{}";
    return out;
  }
  if (document.root.kind != YamlNode::Kind::kMapping) {
    const YamlNode& root = document.root;
    return Status(Code::kInvalid, Mistake{out.file, root.line, root.column,
                                          "a configuration is a mapping, not " + root.describe()}
                                      .str());
  }
  Result<std::string> json = to_json(document.root);
  if (!json) return json.error().with_context(out.file);
  out.json = std::move(*json);
  return out;
}

}  // namespace

Result<std::vector<ControllerConfig>> read_controller_configs(
    const std::vector<std::string>& flags) {
  std::vector<ControllerConfig> out;
  for (const std::string& flag : flags) {
    Result<ControllerConfig> each = read(flag);
    if (!each) return each.error();
    out.push_back(std::move(*each));
  }
  return out;
}

Status check_controller_configs(std::span<const ControllerConfig> configs,
                                const std::vector<std::string>& controllers) {
  std::string all;
  for (const std::string& each : controllers) all += (all.empty() ? "" : ", ") + each;
  std::set<std::string> seen;
  for (const ControllerConfig& each : configs) {
    if (each.controller.empty() && controllers.size() != 1) {
      return {Code::kInvalid, "--config " + each.file + " names no controller: the plugin has " +
                                  all + "; write --config CONTROLLER=" + each.file};
    }
    const std::string name = each.controller.empty() ? controllers.front() : each.controller;
    if (std::find(controllers.begin(), controllers.end(), name) == controllers.end()) {
      return {Code::kInvalid, "--config " + each.controller + "=" + each.file +
                                  ": the plugin has no controller " + name + "; it has " + all};
    }
    if (!seen.insert(name).second) {
      return {Code::kInvalid, "--config gives " + name + " two configurations"};
    }
  }
  return {};
}

std::string config_for(std::span<const ControllerConfig> configs, std::string_view controller) {
  for (const ControllerConfig& each : configs) {
    if (each.controller.empty() || each.controller == controller) return each.json;
  }
  return "";
}

}  // namespace davit::host
