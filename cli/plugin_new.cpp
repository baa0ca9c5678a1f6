#include "cli/plugin_new.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <davit/kube/label_syntax.hpp>
#include <davit/result.hpp>
#include <filesystem>
#include <map>
#include <ostream>
#include <vector>

#include "host/api/expected_kind.hpp"
#include "host/process/exit_codes.hpp"
#include "lib/base/replace_file.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {
namespace {

namespace fs = std::filesystem;

/// "-controller" and the prefixes of annotations have to fit as well.
constexpr std::size_t kNameMax = 40;

enum class Scope { kNamespaced, kCluster };
/// The content that an example of a kind needs besides metadata.
enum class Example { kBare, kPodSpec, kWorkload, kJob, kService, kCustom, kUnknown };

struct KnownResource {
  std::string_view resource;
  std::string_view kind;
  Example example = Example::kUnknown;
  Scope scope = Scope::kNamespaced;
};

/// Kinds whose name does not follow from the plural, whose scope is the cluster, or of which an
/// example is known.
constexpr KnownResource kKnown[] = {
    {"clusterrolebindings", "ClusterRoleBinding", Example::kUnknown, Scope::kCluster},
    {"clusterroles", "ClusterRole", Example::kBare, Scope::kCluster},
    {"configmaps", "ConfigMap", Example::kBare},
    {"cronjobs", "CronJob"},
    {"customresourcedefinitions", "CustomResourceDefinition", Example::kUnknown, Scope::kCluster},
    {"daemonsets", "DaemonSet", Example::kWorkload},
    {"deployments", "Deployment", Example::kWorkload},
    {"endpoints", "Endpoints", Example::kBare},
    {"endpointslices", "EndpointSlice"},
    {"horizontalpodautoscalers", "HorizontalPodAutoscaler"},
    {"ingresses", "Ingress"},
    {"jobs", "Job", Example::kJob},
    {"limitranges", "LimitRange"},
    {"namespaces", "Namespace", Example::kBare, Scope::kCluster},
    {"networkpolicies", "NetworkPolicy"},
    {"nodes", "Node", Example::kBare, Scope::kCluster},
    {"persistentvolumeclaims", "PersistentVolumeClaim"},
    {"persistentvolumes", "PersistentVolume", Example::kUnknown, Scope::kCluster},
    {"poddisruptionbudgets", "PodDisruptionBudget"},
    {"pods", "Pod", Example::kPodSpec},
    {"priorityclasses", "PriorityClass", Example::kUnknown, Scope::kCluster},
    {"replicasets", "ReplicaSet", Example::kWorkload},
    {"resourcequotas", "ResourceQuota", Example::kBare},
    {"rolebindings", "RoleBinding"},
    {"secrets", "Secret", Example::kBare},
    {"serviceaccounts", "ServiceAccount", Example::kBare},
    {"services", "Service", Example::kService},
    {"statefulsets", "StatefulSet"},
    {"storageclasses", "StorageClass", Example::kUnknown, Scope::kCluster},
};

std::string_view example_text(Example example) {
  switch (example) {
    case Example::kBare:
      return "";
    case Example::kPodSpec:
      return "spec:\n  containers:\n    - {name: main, image: nginx}\n";
    case Example::kWorkload:
      return "spec:\n  selector: {matchLabels: {app: example}}\n  template:\n    metadata: "
             "{labels: "
             "{app: example}}\n    spec:\n      containers:\n        - {name: main, image: "
             "nginx}\n";
    case Example::kJob:
      return "spec:\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n"
             "        - {name: main, image: nginx}\n";
    case Example::kService:
      return "spec:\n  ports:\n    - {port: 80}\n";
    case Example::kCustom:
      return "spec:\n  size: 1\n";
    case Example::kUnknown:
      return "# Add what its validation asks for.\n";
  }
  return "";
}

/// The same as members of a JSON object: `"spec":{…},`, or empty.
std::string example_members(Example example) {
  const Result<std::string> json = to_json(parse_yaml(example_text(example), "example").root);
  return json && json->starts_with('{') ? json->substr(1, json->size() - 2) + ',' : "";
}

/// The kind of an unknown resource: "Networkpolicy" for "networkpolicies".
std::string guessed_kind(std::string_view resource) {
  std::string kind(resource);
  if (kind.ends_with("ies")) {
    kind.replace(kind.size() - 3, 3, "y");
  } else if (kind.ends_with("sses") || kind.ends_with("xes")) {
    kind.resize(kind.size() - 2);
  } else if (kind.ends_with("s")) {
    kind.pop_back();
  }
  if (!kind.empty()) kind[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(kind[0])));
  return kind;
}

/// "config-mirror": "ConfigMirror".
std::string class_name(std::string_view name) {
  std::string out;
  bool upper = true;
  for (const char c : name) {
    if (c == '-') {
      upper = true;
      continue;
    }
    // A class name does not begin with a digit.
    if (out.empty() && std::isdigit(static_cast<unsigned char>(c)) != 0) out = "The";
    out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return out;
}

/// The replacements of @NAME@ and the other placeholders.
using Words = std::map<std::string, std::string, std::less<>>;

struct Language {
  std::string_view name;
  std::string_view source;
  std::string_view unit_test;
  std::string_view build_command;
  std::string_view needs;
};

constexpr std::string_view kCompiler =
    "CMake 3.25, Ninja (or make), a C++20 compiler and GoogleTest (the unit test is in C++ for "
    "every language)";

constexpr std::array<Language, 3> kLanguages = {{
    {"cpp", "plugin.cpp", "tests/unit_test.cpp", "davit_plugin(@NAME@ SOURCES plugin.cpp)",
     kCompiler},
    {"c", "plugin.c", "tests/unit_test.cpp", "davit_plugin(@NAME@ SOURCES plugin.c)", kCompiler},
    {"rust", "src/lib.rs", "tests/unit.rs", "",
     "CMake 3.25, Ninja (or make), rustc 1.63 or later, cargo and a linker (gcc); it uses no other "
     "crates and downloads nothing. cargo and rust-analyzer find davit's crate by the link "
     "`.davit`, which `davit plugin new` and `./ci.sh` make"},
}};

/// The folders whose files a project has. If two have a file of one path, the first one counts.
using Folders = std::vector<std::string_view>;

Folders folders_for(const PluginNewOptions& options, const Language& language) {
  if (!options.is_provider) return {language.name, "common"};
  if (language.name == "rust") return {"provider-rust", "rust", "provider", "common"};
  return {"provider", "common"};
}

/// Whether a project in `language` has the file; only one of a custom resource has a definition.
bool belongs(const TemplateFile& file, const Folders& folders, const Language& language,
             const Words& words) {
  if (file.path == "crd.yaml" && words.find("DEFINITION")->second.empty()) return false;
  const auto own = std::ranges::find(folders, file.folder);
  if (own == folders.end()) return false;
  if (file.path.ends_with(".cpp") && file.path != language.source &&
      file.path != language.unit_test) {
    return false;
  }
  return std::ranges::none_of(plugin_template_files(), [&](const TemplateFile& other) {
    return other.path == file.path && std::find(folders.begin(), own, other.folder) != own;
  });
}

std::string filled(std::string_view text, const Words& words) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find('@', at);
    const std::size_t end = begin == text.npos ? begin : text.find('@', begin + 1);
    if (end == text.npos) return out.append(text.substr(at));
    const auto word = words.find(text.substr(begin + 1, end - begin - 1));
    out.append(text.substr(at, begin - at));
    if (word == words.end()) {  // An @ of the text's own.
      out += '@';
      at = begin + 1;
    } else {
      out += word->second;
      at = end + 1;
    }
  }
  return out;
}

/// Whether `text` has the form of an API version: v1, v2beta1, v1alpha3.
bool is_version(std::string_view text) {
  static constexpr std::string_view kDigits = "0123456789";
  const auto skip_number = [&text] {
    const std::size_t end = std::min(text.find_first_not_of(kDigits), text.size());
    text.remove_prefix(end);
    return end > 0;
  };
  if (!text.starts_with("v")) return false;
  text.remove_prefix(1);
  if (!skip_number()) return false;
  if (text.empty()) return true;
  for (const std::string_view stage : {"alpha", "beta"}) {
    if (!text.starts_with(stage)) continue;
    text.remove_prefix(stage.size());
    return skip_number() && text.empty();
  }
  return false;
}

/// The group ("" for core), version and plural of `[GROUP/]VERSION/PLURAL`.
Result<std::vector<std::string>> parts_of(const std::string& watches) {
  std::vector<std::string> parts(1);
  for (const char c : watches) {
    if (c == '/') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.size() == 2) parts.insert(parts.begin(), std::string());
  const bool named = parts.size() == 3 && is_version(parts[1]) && is_dns_label(parts[2]) &&
                     (parts[0].empty() || is_dns_subdomain(parts[0]));
  if (!named) {
    return Status(Code::kInvalid,
                  "--watches=" + watches +
                      " does not name a resource: give VERSION/PLURAL for the core group "
                      "(v1/pods), else GROUP/VERSION/PLURAL (apps/v1/deployments)");
  }
  for (const KnownResource& each : kKnown) {
    std::string singular(each.kind);
    std::ranges::transform(singular, singular.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (parts[2] != singular || parts[2] == each.resource) continue;
    return Status(Code::kInvalid, "--watches=" + watches + ": \"" + singular +
                                      "\" is not a plural; did you mean " +
                                      std::string(each.resource) + "?");
  }
  return parts;
}

/// The words for a built-in kind, of which the C++ sources have a view written by hand.
void add_built_in_words(Words& words) {
  words["INCLUDE_TYPES"] = "";
  words["VIEW"] = filled(
      "/// What this controller reads of one; a field outside kProjection reads as absent.\n"
      "class @KIND@ : public ObjectView {\n"
      " public:\n"
      "  static constexpr Resource kResource{\"@GROUP@\", \"@VERSION@\", \"@RESOURCE@\", "
      "\"@KIND@\"};\n"
      "  static constexpr std::string_view kProjection[] = {\"metadata.labels\", "
      "\"metadata.annotations\"};\n"
      "  using ObjectView::ObjectView;\n"
      "};\n",
      words);
  for (const char* empty : {"WATCHED_PATHS", "ADD_DEFINITION", "DEFINITION", "README_ROW"}) {
    words[empty] = "";
  }
}

/// The words for a custom resource, which crd.yaml defines: C++ types are made from it.
void add_custom_words(Words& words, const Language& language) {
  words["INCLUDE_TYPES"] =
      filled("\n#include \"crd.hpp\"  // davit_codegen(@NAME@ crd.yaml …)\n", words);
  words["VIEW"] = filled("using types::@VERSION@::@KIND@;\n", words);
  words["WATCHED_PATHS"] = R"({"metadata.labels", "metadata.annotations"})";
  words["DEFINITION"] = " CRD=\"${CMAKE_CURRENT_SOURCE_DIR}/crd.yaml\"";
  words["ADD_DEFINITION"] = language.name == "rust"
                                ? "    cluster.add_file(\"crd.yaml\"); // Judges what is written.\n"
                                : "    cluster.add_file(CRD);  // Judges what the plugin writes.\n";
  words["README_ROW"] =
      "| `crd.yaml` | the definition of the resource" +
      std::string(language.name == "cpp" ? ", from which C++ types are made" : "") + " |\n";
  if (language.name == "cpp") {
    words["BUILD_COMMAND"] += filled("\ndavit_codegen(@NAME@ crd.yaml NAMESPACE types)", words);
  }
}

Result<Words> words_for(const PluginNewOptions& options, const Language& language) {
  if (!is_dns_label(options.name) || options.name.size() > kNameMax) {
    return Status(Code::kInvalid,
                  "\"" + options.name +
                      "\" is not a name for a plugin: lower-case letters, digits and "
                      "'-', at most " +
                      std::to_string(kNameMax) + " characters");
  }
  const Result<std::vector<std::string>> found = parts_of(options.watches);
  if (!found) return found.error();
  const std::vector<std::string>& parts = *found;
  const auto* known =
      std::ranges::find(kKnown, std::string_view(parts[2]), &KnownResource::resource);
  const bool is_known = known != std::end(kKnown);
  const bool cluster = is_known && known->scope == Scope::kCluster;
  const bool is_custom = !is_built_in_group(parts[0]);
  const Example example = is_custom  ? Example::kCustom
                          : is_known ? known->example
                                     : Example::kUnknown;
  Words words;
  words["NAME"] = options.name;
  words["CLASS"] = class_name(options.name);
  words["GROUP"] = parts[0];
  words["VERSION"] = parts[1];
  words["RESOURCE"] = parts[2];
  words["API_VERSION"] = parts[0].empty() ? parts[1] : parts[0] + "/" + parts[1];
  words["KIND"] = !options.kind.empty() ? options.kind
                  : is_known            ? std::string(known->kind)
                                        : guessed_kind(parts[2]);
  words["NAMESPACE_MEMBER"] = cluster ? "" : "\"namespace\":\"default\",";
  words["EXAMPLE_NAMESPACE"] = cluster ? "" : "default";
  words["SINGULAR"] = words["KIND"];
  std::ranges::transform(words["SINGULAR"], words["SINGULAR"].begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  words["EXAMPLE_REST"] = example_text(example);
  words["EXAMPLE_MEMBERS"] = example_members(example);
  words["SOURCE"] = language.source;
  words["UNIT_TEST"] = language.unit_test;
  words["NEEDS"] = language.needs;
  words["CRATE"] = options.name;
  std::ranges::replace(words["CRATE"], '-', '_');
  words["BUILD_COMMAND"] = filled(language.build_command, words);
  if (is_custom) {
    add_custom_words(words, language);
  } else {
    add_built_in_words(words);
  }
  return words;
}

/// The crate that was installed with this program, or an empty path.
fs::path installed_crate() {
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  const fs::path crate =
      (program.parent_path() / ".." / DAVIT_CRATE_FROM_PROGRAM).lexically_normal();
  return fs::exists(crate / "Cargo.toml", failure) ? crate : fs::path();
}

/// Makes the link by which cargo finds davit's crate. True if cargo can be called at once.
bool link_crate(const fs::path& root) {
  const fs::path crate = installed_crate();
  std::error_code failure;
  if (!crate.empty()) fs::create_directory_symlink(crate, root / ".davit", failure);
  return !crate.empty() && !failure;
}

Status write_file(const fs::path& path, const std::string& text) {
  if (Status s = replace_file(path.string(), text, Readable::kByAll); !s.ok()) return s;
  if (path.extension() == ".sh") {
    std::error_code failure;
    fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                    fs::perm_options::add, failure);
  }
  return {};
}

}  // namespace

int run_plugin_new(const PluginNewOptions& options, std::ostream& out, std::ostream& err) {
  const auto* language = std::ranges::find(kLanguages, options.language, &Language::name);
  if (language == kLanguages.end()) {
    err << "davit: --lang must be cpp, c or rust, not " << options.language << "\n";
    return kExitMistakes;
  }
  if (options.is_provider && language->name == "c") {
    err << "davit: --provider writes C++ or Rust, not C\n";
    return kExitMistakes;
  }
  const Folders folders = folders_for(options, *language);
  const Result<Words> words = words_for(options, *language);
  if (!words) {
    err << "davit: " << words.error().message() << "\n";
    return kExitMistakes;
  }
  const fs::path root(options.directory.empty() ? options.name : options.directory);
  std::error_code failure;
  if (fs::exists(root, failure) && !fs::is_empty(root, failure)) {
    err << "davit: " << root.string() << " already exists: choose another folder with --dir\n";
    return kExitMistakes;
  }
  for (const TemplateFile& file : plugin_template_files()) {
    if (!belongs(file, folders, *language, *words)) continue;
    const std::string_view path =
        file.path == "gitignore" ? std::string_view(".gitignore") : file.path;
    if (Status s = write_file(root / path, filled(file.text, *words)); !s.ok()) {
      err << "davit: " << s.message() << "\n";
      return kExitFailed;
    }
  }
  if (language->name == "rust" && !link_crate(root)) {
    err << "davit: no installed crate is beside this program: cargo works after the first "
           "./ci.sh\n";
  }
  out << "A plugin in " << root.string()
      << ". It builds and passes its tests without changes:\n\n  cd " << root.string()
      << " && ./ci.sh\n\nIts README.md explains the files.\n";
  return 0;
}

}  // namespace davit::host
