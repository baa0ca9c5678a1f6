#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "cli/codegen/definition.hpp"
#include "lib/base/take_until.hpp"

namespace davit::host::codegen {
namespace {

/// Group, version and kind.
struct Identity {
  std::string group;
  std::string version;
  std::string kind;

  [[nodiscard]] std::string text() const {
    return (group.empty() ? "" : group + "/") + version + "/" + kind;
  }
  friend auto operator<=>(const Identity&, const Identity&) = default;
};

Identity identity_of(const YamlNode& node) {
  const auto text = [&node](std::string_view key) {
    const YamlNode* found = node.find(key);
    return found != nullptr ? found->text : std::string();
  };
  return {text("group"), text("version"), text("kind")};
}

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const std::string_view segment = take_until(path, "/");
    if (!segment.empty()) out.push_back(segment);
  }
  return out;
}

/// The segments from PLURAL on in a path such as
/// /apis/GROUP/VERSION/namespaces/{namespace}/PLURAL/{name}/SUBRESOURCE.
std::vector<std::string_view> resource_segments(std::string_view path) {
  std::vector<std::string_view> out = segments_of(path);
  const std::size_t prefix = out.empty() ? 0 : out.front() == "api" ? 2 : 3;
  if (out.size() <= prefix) return {};
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(prefix));
  if (out.size() > 2 && out[0] == "namespaces" && out[1] == "{namespace}") {
    out.erase(out.begin(), out.begin() + 2);
  }
  return out;
}

/// The plural of each kind that a path has, alone or with a name behind it.
std::map<Identity, std::string> plurals_of(const YamlNode& paths) {
  std::map<Identity, std::string> out;
  for (const YamlMember& path : paths.members) {
    const std::vector<std::string_view> segments = resource_segments(path.key);
    if (segments.empty() || segments.size() > 2) continue;
    for (const YamlMember& operation : path.value.members) {
      const YamlNode* about = operation.value.find("x-kubernetes-group-version-kind");
      if (about != nullptr) out.emplace(identity_of(*about), segments[0]);
    }
  }
  return out;
}

bool selected(const std::vector<std::string>& kinds, const std::string& text,
              std::set<std::string>& found) {
  const bool chosen = kinds.empty() || std::ranges::find(kinds, text) != kinds.end();
  if (chosen) found.insert(text);
  return chosen;
}

/// The reason why `document` is no OpenAPI v3 document with kinds; empty if it is one.
std::string wrong_document(const YamlNode& document) {
  const auto is_mapping = [](const YamlNode* node) {
    return node != nullptr && node->kind == YamlNode::Kind::kMapping;
  };
  if (const YamlNode* kind = document.find("kind"); kind != nullptr) {
    const YamlNode* message = document.find("message");
    return "it is an object of kind \"" + kind->text + "\"" +
           (message != nullptr ? ": " + message->text : "");
  }
  const YamlNode* version = document.find("openapi");
  if (version == nullptr || !version->text.starts_with("3.")) {
    return "its member openapi is " + (version != nullptr ? version->describe() : "missing") +
           " instead of 3.0 or a later 3";
  }
  const YamlNode* components = document.find("components");
  if (components == nullptr || !is_mapping(components->find("schemas"))) {
    return "it lacks components.schemas";
  }
  return is_mapping(document.find("paths")) ? "" : "it lacks paths";
}

}  // namespace

Definitions read_openapi(const std::string& text, const std::string& file,
                         const std::vector<std::string>& kinds) {
  Definitions out;
  YamlDocument parsed = parse_yaml(text, file);
  out.mistakes = std::move(parsed.mistakes);
  if (!out.mistakes.empty()) return out;
  const auto document = std::make_shared<const YamlNode>(std::move(parsed.root));
  if (const std::string wrong = wrong_document(*document); !wrong.empty()) {
    out.mistakes.push_back({file, 0, 0,
                            "this is not an OpenAPI v3 document: " + wrong +
                                "; get one with: kubectl get --raw /openapi/v3/apis/apps/v1"});
    return out;
  }
  const YamlNode* schemas = document->find("components")->find("schemas");
  const YamlNode* paths = document->find("paths");
  const std::map<Identity, std::string> plurals = plurals_of(*paths);
  std::set<std::string> found;
  std::vector<std::string> offered;
  for (const YamlMember& each : schemas->members) {
    const YamlNode* about = each.value.find("x-kubernetes-group-version-kind");
    if (about == nullptr || about->items.size() != 1) continue;
    const Identity identity = identity_of(about->items.front());
    const auto plural = plurals.find(identity);
    if (plural == plurals.end()) continue;
    offered.push_back(identity.text());
    if (!selected(kinds, identity.text(), found)) continue;
    const YamlNode* properties = each.value.find("properties");
    const bool has_status = properties != nullptr && properties->find("status") != nullptr;
    out.kinds.push_back({file, identity.group, identity.version, plural->second, identity.kind,
                         has_status, document, &each.value, schemas});
  }
  for (const std::string& each : kinds) {
    if (found.contains(each)) continue;
    const std::string meant = nearest(each, offered);
    out.mistakes.push_back({file, 0, 0,
                            "the document has no kind " + each +
                                (meant.empty() ? "" : "; did you mean " + meant + "?")});
  }
  if (kinds.empty() && out.kinds.empty()) {
    out.mistakes.push_back({file, 0, 0, "the document has no kind with a path"});
  }
  return out;
}

}  // namespace davit::host::codegen
