#include "cli/cluster_objects.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/text_file.hpp"
#include "lib/kube/yaml_stream.hpp"

namespace davit::host {
namespace {

constexpr const char* kDefaultNamespace = "default";
/// The owner of the fields of the files.
constexpr const char* kApplyQuery = "fieldManager=davit-objects&force=true";

bool is_object_file(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  return !path.filename().string().starts_with(".") &&
         (extension == ".yaml" || extension == ".yml" || extension == ".json");
}

/// Sorted, so that the same folder is read in the same order everywhere.
Result<std::vector<std::filesystem::path>> files_below(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::is_directory(path, failed)) {
    return std::vector<std::filesystem::path>{path};
  }
  std::vector<std::filesystem::path> files;
  std::filesystem::recursive_directory_iterator each(path, failed);
  for (const std::filesystem::recursive_directory_iterator end; !failed && each != end;
       each.increment(failed)) {
    std::error_code unknown;
    if (each->path().filename().string().starts_with(".")) {
      each.disable_recursion_pending();
    } else if (each->is_regular_file(unknown) && is_object_file(each->path())) {
      files.push_back(each->path());
    }
  }
  if (failed) return Status(Code::kInvalid, "cannot read the folder: " + failed.message());
  if (files.empty()) {
    return Status(Code::kInvalid, "has no .yaml, .yml or .json file");
  }
  std::sort(files.begin(), files.end());
  return files;
}

class ObjectReader {
 public:
  ObjectReader(Wanted wanted, ClusterObjects& out) : wanted_(wanted), out_(out) {}

  void read_file(const std::filesystem::path& path) {
    file_ = path.string();
    const Result<std::string> text = read_text_file(file_);
    if (!text) return mistake({}, "cannot be read: " + text.error().message());
    for (const YamlPart& each : yaml_documents(*text)) {
      YamlDocument document = parse_yaml(each.text, file_, each.line);
      if (!document.mistakes.empty()) {
        out_.mistakes.insert(out_.mistakes.end(), document.mistakes.begin(),
                             document.mistakes.end());
      } else if (!document.root.is_null()) {
        read(document.root);
      }
    }
  }

 private:
  void mistake(const YamlNode& at, std::string text) {
    const bool is_place = !at.is_null();
    out_.mistakes.push_back(
        {file_, is_place ? at.line : 0, is_place ? at.column : 0, std::move(text)});
  }

  /// The text of a required member.
  std::string required(const YamlNode& node, const char* key) {
    const YamlNode* const found = node.find(key);
    if (found != nullptr && found->kind == YamlNode::Kind::kString && !found->text.empty()) {
      return found->text;
    }
    mistake(found == nullptr || found->is_null() ? node : *found,
            "an object needs " + std::string(key) + ", a string");
    return "";
  }

  void read(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::kMapping) {
      return mistake(node, "an object is a mapping, not " + node.describe());
    }
    const std::string kind = required(node, "kind");
    const std::string version = required(node, "apiVersion");
    if (kind.empty() || version.empty()) return;
    const YamlNode* const items = node.find("items");
    if (kind.ends_with("List") && items != nullptr) {
      for (const YamlNode& item : items->items) read(item);
      return;
    }
    const YamlNode* const metadata = node.find("metadata");
    if (metadata == nullptr || metadata->kind != YamlNode::Kind::kMapping) {
      return mistake(node, kind + " needs metadata with a name");
    }
    if (required(*metadata, "name").empty()) return;
    add(node, kind);
  }

  void add(const YamlNode& node, const std::string& kind) {
    if (wanted_ == Wanted::kDefinitions && kind != "CustomResourceDefinition") {
      return mistake(
          node, "a " + kind + " is not a CustomResourceDefinition: give it with --objects instead");
    }
    const Result<std::string> text = to_json(node);
    if (!text) return mistake(node, std::string(text.error().message()));
    Result<Json> object = parse_json(*text);
    if (!object) return mistake(node, std::string(object.error().message()));
    out_.objects.push_back({std::move(*object), file_, node.line});
  }

  const Wanted wanted_;
  ClusterObjects& out_;
  std::string file_;
};

/// Definitions before namespaces, and those before what is in them.
int order_of(const ClusterObject& object) {
  if (object.is_definition()) return 0;
  return object.kind() == "Namespace" ? 1 : 2;
}

/// "apps/v1" as group and version.
std::pair<std::string, std::string> split(const std::string& api_version) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string::npos) return {"", api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

Status apply(const ClusterObject& from, RestClient& client, Discovery& discovery) {
  const auto [group, version] = split(from.object.get("apiVersion").text());
  Result<ResourceInfo> served = discovery.find_kind(group, version, from.kind());
  if (!served) {
    discovery.reset();  // A definition may have come since.
    served = discovery.find_kind(group, version, from.kind());
  }
  if (!served) {
    return served.error().code() == Code::kNotFound
               ? Status(Code::kNotFound,
                        "the server has no such kind: is its "
                        "CustomResourceDefinition missing (--crd)?")
               : served.error();
  }
  ApiRequest request;
  request.verb = Verb::kPatch;
  request.patch_type = PatchType::kApply;
  request.query = kApplyQuery;
  request.path = {group, version, served->resource, "", "", from.name()};
  if (served->scope == Scope::kNamespaced) {
    const std::string& ns = from.object.text_at({"metadata", "namespace"});
    request.path.ns = ns.empty() ? kDefaultNamespace : ns;
  }
  request.body = to_text(from.object);
  if (Status s = client.call(request).status; !s.ok()) return s;
  if (!from.object.contains("status") || !served->has_subresource("status")) return {};
  Json status = Json::object({{"apiVersion", from.object.get("apiVersion")},
                              {"kind", from.object.get("kind")},
                              {"metadata", Json::object({{"name", from.name()}})},
                              {"status", from.object.get("status")}});
  request.path.subresource = "status";
  request.body = to_text(status);
  return client.call(request).status;
}

}  // namespace

ClusterObjects read_cluster_objects(const std::filesystem::path& path, Wanted wanted) {
  ClusterObjects out;
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) {
    out.mistakes.push_back({path.string(), 0, 0, "there is no such file or folder"});
    return out;
  }
  const Result<std::vector<std::filesystem::path>> files = files_below(path);
  if (!files) {
    out.mistakes.push_back({path.string(), 0, 0, std::string(files.error().message())});
    return out;
  }
  ObjectReader reader(wanted, out);
  for (const std::filesystem::path& each : *files) reader.read_file(each);
  std::stable_sort(
      out.objects.begin(), out.objects.end(),
      [](const ClusterObject& a, const ClusterObject& b) { return order_of(a) < order_of(b); });
  return out;
}

std::vector<Mistake> apply_cluster_objects(std::span<const ClusterObject> objects,
                                           RestClient& client, Discovery& discovery) {
  std::vector<Mistake> mistakes;
  for (const ClusterObject& each : objects) {
    const Status status = apply(each, client, discovery);
    if (each.is_definition()) discovery.reset();
    if (status.ok()) continue;
    mistakes.push_back({each.file, each.line, 1,
                        each.kind() + " " + each.name() + ": " + std::string(status.message())});
  }
  return mistakes;
}

std::string lines_of(const std::vector<Mistake>& mistakes) {
  std::string out;
  for (const Mistake& each : mistakes) out += (out.empty() ? "" : "\n") + each.str();
  return out;
}

}  // namespace davit::host
