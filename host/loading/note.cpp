#include "host/loading/note.hpp"

#include <davit/abi.h>

#include <algorithm>
#include <charconv>
#include <davit/kube/label_syntax.hpp>
#include <set>

#include "host/config/fields.hpp"
#include "host/config/names.hpp"
#include "host/loading/declared_config.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/printable.hpp"
#include "lib/kube/strict_json.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {
namespace {

constexpr std::int64_t kWorkersMax = 1000;
/// Far above what a controller needs. Each request is compared with every rule.
constexpr std::size_t kEntriesMax = 1000;

constexpr std::string_view kAll = "*";

bool is_version(std::string_view text) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+~:";
  return text.size() <= kLabelBytesMax && text.find_first_not_of(kAllowed) == text.npos;
}

/// As long as a line for people may be, and a field path.
bool is_short(std::string_view text) {
  constexpr std::size_t kBytesMax = 1024;
  return text.size() <= kBytesMax;
}

bool is_object_name(std::string_view text) { return text != kAll && is_path_segment_name(text); }
/// RBAC's name of a signer of certificates, or of all signers of a domain.
bool is_signer_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != text.npos && is_dns_subdomain(text.substr(0, slash)) &&
         is_path_segment_name(text.substr(slash + 1));
}
bool is_rule_verb(std::string_view text) { return text == kAll || is_verb(text); }

/// A form that a text must have.
struct Form {
  bool (*holds)(std::string_view text);
  const char* allowed;  // "must be ..."
};

constexpr Form kName{is_dns_subdomain, "must be lower case letters, digits, '-' and '.'"};
constexpr Form kControllerName{is_dns_subdomain, "must be lower case letters, digits and '-'"};
constexpr Form kVersion{is_version, "must be up to 63 letters, digits and '-_.+~:'"};
constexpr Form kBuild{is_short, "must have at most 1024 bytes"};
constexpr Form kFieldPath{is_short, "must have at most 1024 bytes"};
constexpr Form kCapability{is_capability_id, "must be like \"davit.client/1\""};
constexpr Form kClientName{is_client_name, "must be up to 253 letters, digits, '-', '_' and '.'"};
constexpr Form kGroup{is_dns_subdomain, "must be an API group such as \"apps\" or \"\""};
constexpr Form kResource{is_resource_name, "must be a plural in lower case such as \"pods\""};
constexpr Form kApiVersion{is_dns_label, "must be like \"v1\""};
constexpr Form kVerb{is_rule_verb, "must be \"*\" or a verb in lower case such as \"get\""};
constexpr Form kObjectName{is_object_name,
                           "must be the name of an object: up to 253 bytes without '/' and '%', "
                           "and not \"*\""};
constexpr Form kSignerName{is_signer_name,
                           "must be the name of a signer such as \"example.com/x\" or "
                           "\"example.com/*\""};
constexpr Form kUrl{is_url_pattern,
                    "must be \"*\" or a path such as \"/version\" or \"/healthz/*\""};
constexpr Form kConfigPath{is_config_path,
                           "must be members of the configuration joined by dots, such as "
                           "\"watch.labels\""};

class NoteReader {
 public:
  NoteReader(PluginDeclaration& out, std::vector<Mistake>& mistakes,
             std::vector<std::string>& findings)
      : out_(out), mistakes_(mistakes), findings_(findings) {}

  void read(const YamlNode& root);

 private:
  Fields fields(const YamlNode& node, std::string where) {
    return Fields(node, std::move(where), file_, mistakes_);
  }
  /// A mistake for a required key that is not there.
  void require(Fields& in, const YamlNode& node, const char* key) {
    if (node.find(key) == nullptr) in.mistake(node, in.path(key) + " is missing");
  }
  /// A mistake for a list that is there and empty: it would read as "all", or grant nothing.
  void require_entries(Fields& in, const YamlNode& node, const char* key) {
    const YamlNode* const list = node.find(key);
    if (list == nullptr || list->kind != YamlNode::Kind::kSequence || !list->items.empty()) return;
    in.mistake(*list, in.path(key) + " must have at least one entry");
  }
  /// A mistake when a text that is not empty has another form. `path` names it for people.
  void check(const YamlNode& at, const std::string& path, const Form& form,
             const std::string& text) {
    if (text.empty() || form.holds(text)) return;
    mistakes_.push_back(
        {"", at.line, at.column, path + " " + form.allowed + ", not " + short_json_string(text)});
  }
  void check(const YamlNode& at, const std::string& path, const Status& status) {
    if (status.ok()) return;
    mistakes_.push_back({"", at.line, at.column, path + " " + status.message()});
  }
  /// A text of that form; see Fields::name() and Fields::text().
  void name(Fields& in, const YamlNode& node, const char* key, const Form& form, std::string& out);
  void texts(Fields& in, const YamlNode& node, const char* key, const Form& form,
             std::vector<std::string>& out);
  /// A value that stands in the note, or `{"config":"path","default":value}`.
  template <typename Read>
  void open_value(Fields& in, const YamlNode& node, const char* key, ConfigSource& source,
                  Read read);
  void selector(Fields& in, const YamlNode& node, const char* key,
                Status (*check)(std::string_view), ConfigSource& source, std::string& out);
  void list(Fields& in, const YamlNode& node, const char* key,
            Status (*check)(std::vector<std::string>&), ConfigSource& source,
            std::vector<std::string>& out);
  /// Keeps what is not known, and reports it.
  void finish(Fields& in);
  /// Calls `read(item, "where[i]")` for each item of a list.
  template <typename Read>
  void each(Fields& in, const char* key, Read read);

  void abi(Fields& in, const YamlNode& root);
  void capabilities(Fields& in, const YamlNode& root);
  DeclaredController controller(const YamlNode& node, const std::string& where);
  DeclaredRule rule(const YamlNode& node, const std::string& where);
  void rule_of_urls(Fields& in, const YamlNode& node);
  void verbs(Fields& in, const YamlNode& node, std::vector<std::string>& out);
  DeclaredWatch watch(const YamlNode& node, const std::string& where);
  void http(Fields& in, DeclaredHttp& out);
  /// Whether a group and a resource may be "*".
  enum class Wildcard { kForbidden, kAllowed };
  void resource(Fields& in, const YamlNode& node, Wildcard wildcard, std::string& group,
                std::string& resource);
  void unique_name(const YamlNode& node, const std::string& path, const std::string& name);

  PluginDeclaration& out_;
  std::vector<Mistake>& mistakes_;
  std::vector<std::string>& findings_;
  const std::string file_;
  std::set<std::string> names_;
};

template <typename Read>
void NoteReader::each(Fields& in, const char* key, Read read) {
  const YamlNode* list = in.any(key);
  if (list == nullptr) return;
  if (list->kind != YamlNode::Kind::kSequence) {
    in.mistake(*list, in.path(key) + " must be a list, not " + list->describe());
    return;
  }
  if (list->items.size() > kEntriesMax) {
    in.mistake(*list, in.path(key) + " must have at most " + std::to_string(kEntriesMax) +
                          " entries, not " + std::to_string(list->items.size()));
    return;
  }
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    read(list->items[i], in.path(key) + "[" + std::to_string(i) + "]");
  }
}

void NoteReader::name(Fields& in, const YamlNode& node, const char* key, const Form& form,
                      std::string& out) {
  in.name(key, out);
  if (const YamlNode* given = node.find(key)) check(*given, in.path(key), form, out);
}

void NoteReader::texts(Fields& in, const YamlNode& node, const char* key, const Form& form,
                       std::vector<std::string>& out) {
  in.texts(key, out);
  if (out.size() > kEntriesMax) {
    in.mistake(*node.find(key), in.path(key) + " must have at most " + std::to_string(kEntriesMax) +
                                    " entries, not " + std::to_string(out.size()));
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    check(*node.find(key), in.path(key) + "[" + std::to_string(i) + "]", form, out[i]);
  }
}

template <typename Read>
void NoteReader::open_value(Fields& in, const YamlNode& node, const char* key, ConfigSource& source,
                            Read read) {
  const YamlNode* const value = node.find(key);
  if (value == nullptr || value->kind != YamlNode::Kind::kMapping) {
    read(in, node, key);
    return;
  }
  (void)in.any(key);
  Fields inner = fields(*value, in.path(key));
  name(inner, *value, "config", kConfigPath, source.path);
  require(inner, *value, "config");
  source.has_default = value->find("default") != nullptr;
  read(inner, *value, "default");
  finish(inner);
}

void NoteReader::selector(Fields& in, const YamlNode& node, const char* key,
                          Status (*wrong)(std::string_view), ConfigSource& source,
                          std::string& out) {
  open_value(in, node, key, source, [&](Fields& from, const YamlNode& at, const char* member) {
    from.text(member, out);
    check(at, from.path(member), wrong(out));
  });
}

void NoteReader::list(Fields& in, const YamlNode& node, const char* key,
                      Status (*wrong)(std::vector<std::string>&), ConfigSource& source,
                      std::vector<std::string>& out) {
  const auto read = [&](Fields& from, const YamlNode& at, const char* member) {
    const std::size_t before = mistakes_.size();
    from.texts(member, out);
    if (at.find(member) == nullptr || mistakes_.size() != before) return;
    check(at, from.path(member), wrong(out));
  };
  open_value(in, node, key, source, read);
}

void NoteReader::finish(Fields& in) {
  in.finish([&](const YamlMember& member, std::string text) {
    constexpr std::size_t kPathBytesMax = 253;  // For people; the member itself is kept whole.
    findings_.push_back(std::move(text) + ": davit ignores it");
    std::string path = in.path(member.key);
    if (path.size() > kPathBytesMax) path = in.path("...");
    out_.unknown.emplace_back(std::move(path), to_json(member.value).value_or("null"));
  });
}

void NoteReader::abi(Fields& in, const YamlNode& root) {
  std::string text;
  in.name("abi", text);
  require(in, root, "abi");
  if (text.empty()) return;
  const std::size_t dot = text.find('.');
  const char* const end = text.data() + text.size();
  std::from_chars_result major{text.data(), std::errc::invalid_argument};
  std::from_chars_result minor = major;
  if (dot != std::string::npos) {
    major = std::from_chars(text.data(), end, out_.abi_major);
    minor = std::from_chars(text.data() + dot + 1, end, out_.abi_minor);
  }
  const bool good = major.ec == std::errc() && major.ptr == text.data() + dot &&
                    minor.ec == std::errc() && minor.ptr == end;
  if (!good)
    in.mistake(*root.find("abi"), "abi must be like \"1.0\", not " + short_json_string(text));
}

void NoteReader::capabilities(Fields& in, const YamlNode& root) {
  texts(in, root, "requires", kCapability, out_.requires_ids);
  texts(in, root, "optional", kCapability, out_.optional_ids);
  for (std::size_t i = 0; i < out_.optional_ids.size(); ++i) {
    const std::string& id = out_.optional_ids[i];
    const auto& required = out_.requires_ids;
    if (std::find(required.begin(), required.end(), id) == required.end()) continue;
    in.mistake(*root.find("optional"), "optional[" + std::to_string(i) +
                                           "]: " + short_json_string(id) +
                                           " is also among requires; only one of them is allowed");
  }
}

void NoteReader::read(const YamlNode& root) {
  Fields in = fields(root, "");
  if (root.kind != YamlNode::Kind::kMapping) return;
  in.name("name", out_.name);
  require(in, root, "name");
  name(in, root, "version", kVersion, out_.version);
  require(in, root, "version");
  abi(in, root);
  const bool newer = out_.abi_major > DAVIT_ABI_MAJOR ||
                     (out_.abi_major == DAVIT_ABI_MAJOR && out_.abi_minor > DAVIT_ABI_MINOR);
  if (const YamlNode* given = root.find("name")) check(*given, "name", kName, out_.name);
  if (newer) return;
  capabilities(in, root);
  in.text("build", out_.build);
  if (const YamlNode* given = root.find("build")) check(*given, "build", kBuild, out_.build);
  require(in, root, "controllers");
  each(in, "controllers", [&](const YamlNode& node, const std::string& where) {
    out_.controllers.push_back(controller(node, where));
  });
  const YamlNode* list = root.find("controllers");
  if (list != nullptr && list->kind == YamlNode::Kind::kSequence && list->items.empty()) {
    in.mistake(*list, "controllers must have at least one entry");
  }
  finish(in);
}

void NoteReader::unique_name(const YamlNode& node, const std::string& path,
                             const std::string& name) {
  if (name.empty()) return;
  if (!kControllerName.holds(name)) return check(node, path, kControllerName, name);
  if (names_.insert(name).second) return;
  mistakes_.push_back({"", node.line, node.column,
                       path + ": the name or alias " + json_string(name) + " is declared twice"});
}

DeclaredController NoteReader::controller(const YamlNode& node, const std::string& where) {
  DeclaredController out;
  Fields in = fields(node, where);
  in.name("name", out.name);
  require(in, node, "name");
  in.texts("aliases", out.aliases);
  unique_name(node, in.path("name"), out.name);
  for (std::size_t i = 0; i < out.aliases.size(); ++i) {
    unique_name(node, in.path("aliases") + "[" + std::to_string(i) + "]", out.aliases[i]);
  }
  out.client_name = out.name;
  name(in, node, "clientName", kClientName, out.client_name);
  out.event_component = out.client_name;
  name(in, node, "eventComponent", kClientName, out.event_component);
  in.boolean("offByDefault", out.off_by_default);
  in.boolean("withoutLeadership", out.without_leadership);
  std::int64_t workers = out.workers;
  in.integer("workers", 1, kWorkersMax, workers);
  out.workers = static_cast<std::uint32_t>(workers);
  each(in, "rules", [&](const YamlNode& item, const std::string& path) {
    out.rules.push_back(rule(item, path));
  });
  each(in, "watches", [&](const YamlNode& item, const std::string& path) {
    out.watches.push_back(watch(item, path));
  });
  http(in, out.http);
  finish(in);
  return out;
}

void NoteReader::resource(Fields& in, const YamlNode& node, Wildcard wildcard, std::string& group,
                          std::string& resource) {
  const auto all = [&](const std::string& text) {
    return wildcard == Wildcard::kAllowed && text == kAll;
  };
  in.text("group", group);
  if (!group.empty() && !all(group)) check(*node.find("group"), in.path("group"), kGroup, group);
  in.name("resource", resource);
  require(in, node, "resource");
  if (!resource.empty() && !all(resource)) {
    check(*node.find("resource"), in.path("resource"), kResource, resource);
  }
}

void NoteReader::verbs(Fields& in, const YamlNode& node, std::vector<std::string>& out) {
  // The verbs that the host's own requests have; a rule may have others ("impersonate").
  const std::vector<std::string> known = {"get",    "list",  "watch",  "create",
                                          "update", "patch", "delete", "deletecollection"};
  texts(in, node, "verbs", kVerb, out);
  require(in, node, "verbs");
  require_entries(in, node, "verbs");
  for (const std::string& verb : out) {
    if (std::find(known.begin(), known.end(), verb) != known.end()) continue;
    const std::string meant = nearest(verb, known);
    if (meant.empty()) continue;
    findings_.push_back(in.path("verbs") + " has " + json_string(verb) + "; did you mean " +
                        json_string(meant) + "?");
  }
}

void NoteReader::rule_of_urls(Fields& in, const YamlNode& node) {
  for (const char* key : {"group", "resource", "subresource", "resourceNames", "namespaces"}) {
    const YamlNode* const given = in.any(key);
    if (given == nullptr) continue;
    in.mistake(*given, in.path(key) +
                           " may not stand beside nonResourceURLs: a rule is of one "
                           "resource or of URLs");
  }
  require_entries(in, node, "nonResourceURLs");
}

DeclaredRule NoteReader::rule(const YamlNode& node, const std::string& where) {
  DeclaredRule out;
  Fields in = fields(node, where);
  texts(in, node, "nonResourceURLs", kUrl, out.non_resource_urls);
  if (node.find("nonResourceURLs") != nullptr) {
    rule_of_urls(in, node);
  } else {
    resource(in, node, Wildcard::kAllowed, out.group, out.resource);
    in.text("subresource", out.subresource);
    if (!out.subresource.empty() && !is_subresource_of(out.resource, out.subresource)) {
      in.mistake(*node.find("subresource"),
                 in.path("subresource") + " must be one word such as \"status\" that " +
                     out.resource + " have, not " + short_json_string(out.subresource));
    }
    const bool signers = out.group == "certificates.k8s.io" && out.resource == "signers";
    texts(in, node, "resourceNames", signers ? kSignerName : kObjectName, out.resource_names);
    require_entries(in, node, "resourceNames");
    list(in, node, "namespaces", check_namespaces, out.namespaces_from, out.namespaces);
  }
  verbs(in, node, out.verbs);
  finish(in);
  return out;
}

DeclaredWatch NoteReader::watch(const YamlNode& node, const std::string& where) {
  DeclaredWatch out;
  Fields in = fields(node, where);
  resource(in, node, Wildcard::kForbidden, out.group, out.resource);
  name(in, node, "version", kApiVersion, out.version);
  require(in, node, "version");
  texts(in, node, "projection", kFieldPath, out.projection);
  selector(in, node, "labelSelector", check_label_selector, out.label_selector_from,
           out.label_selector);
  selector(in, node, "fieldSelector", check_field_selector, out.field_selector_from,
           out.field_selector);
  list(in, node, "namespaces", check_namespaces, out.namespaces_from, out.namespaces);
  finish(in);
  return out;
}

void NoteReader::http(Fields& in, DeclaredHttp& out) {
  const YamlNode* const given = in.any("http");
  if (given == nullptr) return;
  Fields inner = fields(*given, in.path("http"));
  if (given->kind != YamlNode::Kind::kMapping) return;
  require(inner, *given, "hosts");
  list(inner, *given, "hosts", check_hosts, out.hosts_from, out.hosts);
  open_value(inner, *given, "roots", out.roots_from,
             [&](Fields& from, const YamlNode&, const char* key) { from.text(key, out.roots); });
  if (out.roots_from.path.empty() && !out.roots.empty()) {
    inner.mistake(*given->find("roots"),
                  inner.path("roots") +
                      " must be like {\"config\":\"caFile\",\"default\":\"\"}: where its "
                      "file is, only the operator knows");
  }
  finish(inner);
}

/// Names each text that could not be shown as it is: reports and logs print the note's texts.
void check_printable(const YamlNode& node, const std::string& where,
                     std::vector<Mistake>& mistakes) {
  const auto check = [&](const std::string& text, const YamlNode& at, const std::string& what) {
    if (printable(text) == text) return;
    mistakes.push_back(
        {"", at.line, at.column,
         what + " has control characters, which are not allowed: " + short_json_string(text)});
  };
  check(node.text, node, where);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    check_printable(node.items[i], where + "[" + std::to_string(i) + "]", mistakes);
  }
  for (const YamlMember& member : node.members) {
    check(member.key, member.value, "a key of " + (where.empty() ? "the note" : where));
    constexpr std::size_t kKeyBytesMax = 64;
    const std::string key = member.key.size() > kKeyBytesMax ? "..." : printable(member.key);
    check_printable(member.value, where.empty() ? key : where + "." + key, mistakes);
  }
}

}  // namespace

NoteResult parse_note(std::string_view json) {
  NoteResult result;
  if (json.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    result.mistakes.emplace_back("the note is empty");
    return result;
  }
  const YamlDocument document = parse_strict_json(json, "");
  std::vector<Mistake> mistakes = document.mistakes;
  if (mistakes.empty()) check_printable(document.root, "", mistakes);
  if (mistakes.empty())
    NoteReader(result.declaration, mistakes, result.findings).read(document.root);
  for (const Mistake& mistake : mistakes) {
    const bool syntax = !document.mistakes.empty();
    result.mistakes.push_back(syntax ? "line " + std::to_string(mistake.line) + ", column " +
                                           std::to_string(mistake.column) + ": " + mistake.text
                                     : mistake.text);
  }
  return result;
}

std::vector<std::string> missing_capabilities(const std::vector<std::string>& ids,
                                              const std::vector<std::string>& capabilities) {
  std::vector<std::string> missing;
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(missing), [&](const std::string& id) {
    return std::find(capabilities.begin(), capabilities.end(), id) == capabilities.end();
  });
  return missing;
}

Status check_compatible(const PluginDeclaration& declaration,
                        const std::vector<std::string>& capabilities) {
  const std::string needs = "needs ABI " + std::to_string(declaration.abi_major) + "." +
                            std::to_string(declaration.abi_minor) + ", this host has " +
                            DAVIT_ABI_VERSION_TEXT;
  if (declaration.abi_major < DAVIT_ABI_MAJOR) {
    return Status(Code::kUnsupported, needs + ": build the plugin with this davit's SDK");
  }
  if (declaration.abi_major > DAVIT_ABI_MAJOR || declaration.abi_minor > DAVIT_ABI_MINOR) {
    return Status(Code::kUnsupported, needs + ": use a newer davit");
  }
  std::string missing;
  for (const std::string& id : missing_capabilities(declaration.requires_ids, capabilities)) {
    missing += (missing.empty() ? "" : ", ") + id;
  }
  if (missing.empty()) return Status();
  return Status(Code::kUnsupported,
                "requires " + missing + ", which this host does not have: use a newer davit");
}

}  // namespace davit::host
