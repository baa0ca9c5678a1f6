#include "host/upstream/static_pod.hpp"

#include <algorithm>
#include <map>

#include "lib/base/json_text.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kContainer = "kube-controller-manager";

Status pod_mistake(const std::string& file, const YamlNode& at, std::string text) {
  return {Code::kInvalid, Mistake{file, at.line, at.column, std::move(text)}.str()};
}

/// The value at a path of keys, or null.
const YamlNode* find_below(const YamlNode& root, std::initializer_list<std::string_view> path) {
  const YamlNode* node = &root;
  for (const std::string_view key : path) {
    if (node != nullptr) node = node->find(key);
  }
  return node;
}

const YamlNode* find_container(const YamlNode& root) {
  const YamlNode* list = find_below(root, {"spec", "containers"});
  if (list == nullptr) list = find_below(root, {"spec", "template", "spec", "containers"});
  if (list == nullptr) return nullptr;
  const auto found = std::ranges::find_if(list->items, [](const YamlNode& each) {
    const YamlNode* const name = each.find("name");
    return name != nullptr && name->text == kContainer;
  });
  return found == list->items.end() ? nullptr : &*found;
}

/// Kubernetes replaces "$(NAME)" by the variable, "$$" by "$", and leaves unknown names alone.
/// Here those are an error, because their value is not in the file.
class Variables {
 public:
  Variables(const YamlNode& container, const std::string& file) : file_(file) {
    const YamlNode* const env = container.find("env");
    if (env == nullptr) return;
    for (const YamlNode& each : env->items) {
      const YamlNode* const name = each.find("name");
      const YamlNode* const value = each.find("value");
      if (name != nullptr && value != nullptr) values_[name->text] = value->text;
    }
  }

  [[nodiscard]] Result<std::string> replace(const YamlNode& arg) const {
    std::string out;
    for (std::string_view rest = arg.text; !rest.empty();) {
      const std::size_t end = rest.find(')');
      if (rest.starts_with("$$")) {
        out += '$';
        rest.remove_prefix(2);
      } else if (rest.starts_with("$(") && end != std::string_view::npos) {
        const std::string name(rest.substr(2, end - 2));
        const auto found = values_.find(name);
        if (found == values_.end()) {
          return pod_mistake(file_, arg,
                             "the value of the variable " + json_string(name) +
                                 " is not in this file: write it in place of $(" + name + ")");
        }
        out += found->second;
        rest.remove_prefix(end + 1);
      } else {
        out += rest.front();
        rest.remove_prefix(1);
      }
    }
    return out;
  }

 private:
  const std::string& file_;
  std::map<std::string, std::string> values_;
};

bool is_shell(std::string_view program) {
  const std::string_view name = program.substr(program.find_last_of('/') + 1);
  return name == "sh" || name == "bash" || name == "dash" || name == "ash";
}

}  // namespace

Result<std::vector<std::string>> command_line_of_pod(std::string_view text,
                                                     const std::string& file) {
  const YamlDocument document = parse_yaml(text, file);
  if (!document.mistakes.empty()) return Status(Code::kInvalid, document.mistakes.front().str());
  const YamlNode* const container = find_container(document.root);
  if (container == nullptr) {
    return pod_mistake(file, document.root,
                       "a Pod or a workload with a container named kube-controller-manager is "
                       "expected");
  }
  const Variables variables(*container, file);
  std::vector<std::string> out;
  for (const char* const key : {"command", "args"}) {
    const YamlNode* const list = container->find(key);
    if (list == nullptr || list->is_null()) {
      // The image's own command is the program.
      if (out.empty()) out.emplace_back(kContainer);
      continue;
    }
    if (list->kind != YamlNode::Kind::kSequence) {
      return pod_mistake(file, *list,
                         std::string(key) + " must be a list, not " + list->describe());
    }
    for (const YamlNode& each : list->items) {
      Result<std::string> arg = variables.replace(each);
      if (!arg) return arg.error();
      out.push_back(*std::move(arg));
    }
  }
  if (is_shell(out.front())) {
    return pod_mistake(file, *container,
                       "the container runs a shell (" + out.front() +
                           "): write kube-controller-manager and its flags as command");
  }
  return out;
}

}  // namespace davit::host
