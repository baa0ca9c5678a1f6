#include <string_view>
#include <utility>

#include "cli/codegen/definition.hpp"
#include "lib/kube/yaml_stream.hpp"

namespace davit::host::codegen {
namespace {

constexpr std::string_view kApiVersion = "apiextensions.k8s.io/v1";
constexpr std::string_view kKind = "CustomResourceDefinition";

std::string text_at(const YamlNode& node, std::string_view key) {
  const YamlNode* found = node.find(key);
  return found != nullptr && found->kind == YamlNode::Kind::kString ? found->text : "";
}

class CrdReader {
 public:
  CrdReader(const std::string& file, Definitions& out) : file_(file), out_(out) {}

  /// A document, or an item of a List. Counts definitions.
  void read(const std::shared_ptr<const YamlNode>& document, const YamlNode& node) {
    const std::string kind = text_at(node, "kind");
    if (kind.ends_with("List")) {
      const YamlNode* items = node.find("items");
      if (items == nullptr) return;
      for (const YamlNode& item : items->items) read(document, item);
      return;
    }
    if (kind != kKind) return;
    ++count_;
    if (const std::string version = text_at(node, "apiVersion"); version != kApiVersion) {
      mistake(node, "apiVersion is \"" + version + "\", but must be " + std::string(kApiVersion) +
                        "; convert the definition");
      return;
    }
    const YamlNode* spec = node.find("spec");
    if (spec == nullptr || spec->kind != YamlNode::Kind::kMapping) {
      mistake(node, "the CustomResourceDefinition has no spec");
      return;
    }
    read_spec(document, *spec);
  }
  [[nodiscard]] int count() const { return count_; }

 private:
  void mistake(const YamlNode& at, std::string text) {
    out_.mistakes.push_back({file_, at.line, at.column, std::move(text)});
  }

  /// The text at a required path of spec; a mistake when it is missing.
  std::string required(const YamlNode& node, std::string_view key, const std::string& path) {
    std::string text = text_at(node, key);
    if (text.empty()) mistake(node, path + " is missing: give it a string");
    return text;
  }

  void read_spec(const std::shared_ptr<const YamlNode>& document, const YamlNode& spec) {
    Definition common;
    common.file = file_;
    common.document = document;
    common.group = required(spec, "group", "spec.group");
    const YamlNode* names = spec.find("names");
    const YamlNode& named = names != nullptr ? *names : spec;
    common.plural = required(named, "plural", "spec.names.plural");
    common.kind = required(named, "kind", "spec.names.kind");
    const YamlNode* versions = spec.find("versions");
    if (versions == nullptr || versions->items.empty()) {
      mistake(spec, "spec.versions is missing: list at least one version");
      return;
    }
    std::size_t index = 0;
    bool served = false;
    for (const YamlNode& version : versions->items) {
      const std::string path = "spec.versions[" + std::to_string(index++) + "]";
      served = read_version(common, version, path) || served;
    }
    if (!served) mistake(*versions, "spec.versions: no version is served");
  }

  /// False: it is not served.
  bool read_version(const Definition& common, const YamlNode& version, const std::string& path) {
    const YamlNode* served = version.find("served");
    if (served != nullptr && served->text == "false") return false;
    Definition definition = common;
    definition.version = required(version, "name", path + ".name");
    const YamlNode* schema = version.find("schema");
    definition.schema = schema != nullptr ? schema->find("openAPIV3Schema") : nullptr;
    if (definition.schema == nullptr || definition.schema->is_null()) {
      mistake(version, path + ".schema.openAPIV3Schema is missing: types come from the schema");
      return true;
    }
    const YamlNode* subresources = version.find("subresources");
    definition.has_status_subresource =
        subresources != nullptr && subresources->find("status") != nullptr;
    out_.kinds.push_back(std::move(definition));
    return true;
  }

  const std::string& file_;
  Definitions& out_;
  int count_ = 0;
};

}  // namespace

Definitions read_crds(const std::string& text, const std::string& file) {
  Definitions out;
  CrdReader reader(file, out);
  for (const YamlPart& each : yaml_documents(text)) {
    YamlDocument parsed = parse_yaml(each.text, file, each.line);
    if (!parsed.mistakes.empty()) {
      out.mistakes.insert(out.mistakes.end(), parsed.mistakes.begin(), parsed.mistakes.end());
      continue;
    }
    const auto document = std::make_shared<const YamlNode>(std::move(parsed.root));
    reader.read(document, *document);
  }
  if (reader.count() == 0 && out.mistakes.empty()) {
    out.mistakes.push_back({file, 0, 0,
                            "the file has no CustomResourceDefinition; for an OpenAPI document use "
                            "--openapi FILE"});
  }
  return out;
}

}  // namespace davit::host::codegen
