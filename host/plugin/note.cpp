#include "host/plugin/note.hpp"

#include <davit/abi.h>

#include <algorithm>
#include <charconv>
#include <davit/kube/label_syntax.hpp>
#include <set>

#include "host/config/fields.hpp"
#include "host/config/names.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/printable.hpp"
#include "lib/kube/strict_json.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {
namespace {

constexpr std::int64_t kWorkersMax = 1000;

class NoteReader {
 public:
  NoteReader(PluginDeclaration& out, std::vector<Mistake>& mistakes)
      : out_(out), mistakes_(mistakes) {}

  void read(const YamlNode& root);

 private:
  Fields fields(const YamlNode& node, std::string where) {
    return Fields(node, std::move(where), file_, mistakes_);
  }
  /// A mistake for a required key that is not there.
  void require(Fields& in, const YamlNode& node, const char* key) {
    if (node.find(key) == nullptr) in.mistake(node, in.path(key) + " is missing");
  }
  /// Calls `read(item, "where[i]")` for each item of a list.
  template <typename Read>
  void each(Fields& in, const char* key, Read read);

  void abi(Fields& in, const YamlNode& root);
  DeclaredController controller(const YamlNode& node, const std::string& where);
  DeclaredRule rule(const YamlNode& node, const std::string& where);
  DeclaredWatch watch(const YamlNode& node, const std::string& where);
  void resource(Fields& in, const YamlNode& node, std::string& group, std::string& resource);
  void unique_name(Fields& in, const YamlNode& node, const std::string& name);

  PluginDeclaration& out_;
  std::vector<Mistake>& mistakes_;
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
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    read(list->items[i], in.path(key) + "[" + std::to_string(i) + "]");
  }
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
  if (!good) in.mistake(*root.find("abi"), "abi must be like \"1.0\", not " + json_string(text));
}

void NoteReader::read(const YamlNode& root) {
  Fields in = fields(root, "");
  if (root.kind != YamlNode::Kind::kMapping) return;
  in.name("name", out_.name);
  require(in, root, "name");
  in.name("version", out_.version);
  require(in, root, "version");
  abi(in, root);
  const bool newer = out_.abi_major > DAVIT_ABI_MAJOR ||
                     (out_.abi_major == DAVIT_ABI_MAJOR && out_.abi_minor > DAVIT_ABI_MINOR);
  if (newer) return;
  if (!out_.name.empty() && !is_dns_subdomain(out_.name)) {
    in.mistake(*root.find("name"), "name must be lower case letters, digits, '-' and '.', not " +
                                       json_string(out_.name));
  }
  in.texts("requires", out_.requires_ids);
  in.text("build", out_.build);
  require(in, root, "controllers");
  each(in, "controllers", [&](const YamlNode& node, const std::string& where) {
    out_.controllers.push_back(controller(node, where));
  });
  const YamlNode* list = root.find("controllers");
  if (list != nullptr && list->kind == YamlNode::Kind::kSequence && list->items.empty()) {
    in.mistake(*list, "controllers must have at least one entry");
  }
  in.finish();
}

void NoteReader::unique_name(Fields& in, const YamlNode& node, const std::string& name) {
  if (name.empty()) return;
  if (!is_dns_subdomain(name)) {
    in.mistake(node, in.path("name") +
                         " and aliases must be lower case letters, digits and '-', "
                         "not " +
                         json_string(name));
  } else if (!names_.insert(name).second) {
    in.mistake(node,
               in.path("name") + ": the name or alias " + json_string(name) + " is declared twice");
  }
}

DeclaredController NoteReader::controller(const YamlNode& node, const std::string& where) {
  DeclaredController out;
  Fields in = fields(node, where);
  in.name("name", out.name);
  require(in, node, "name");
  in.texts("aliases", out.aliases);
  unique_name(in, node, out.name);
  for (const std::string& alias : out.aliases) unique_name(in, node, alias);
  out.client_name = out.name;
  in.name("clientName", out.client_name);
  if (const YamlNode* given = node.find("clientName");
      given != nullptr && !is_client_name(out.client_name)) {
    in.mistake(*given, in.path("clientName") +
                           " must be up to 253 letters, digits, '-', '_' and '.', not " +
                           json_string(out.client_name));
  }
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
  in.finish();
  return out;
}

void NoteReader::resource(Fields& in, const YamlNode& node, std::string& group,
                          std::string& resource) {
  in.text("group", group);
  if (!group.empty() && !is_dns_subdomain(group)) {
    in.mistake(*node.find("group"), in.path("group") +
                                        " must be an API group such as \"apps\" or "
                                        "\"\", not " +
                                        json_string(group));
  }
  in.name("resource", resource);
  require(in, node, "resource");
  if (!resource.empty() && !is_resource_name(resource)) {
    in.mistake(*node.find("resource"),
               in.path("resource") + " must be a plural in lower case such as \"pods\", not " +
                   json_string(resource));
  }
}

DeclaredRule NoteReader::rule(const YamlNode& node, const std::string& where) {
  static constexpr std::string_view kVerbs[] = {"get",    "list",  "watch",  "create",
                                                "update", "patch", "delete", "deletecollection"};
  DeclaredRule out;
  Fields in = fields(node, where);
  resource(in, node, out.group, out.resource);
  in.text("subresource", out.subresource);
  if (!out.subresource.empty() && !is_subresource_of(out.resource, out.subresource)) {
    in.mistake(*node.find("subresource"),
               in.path("subresource") + " must be one word such as \"status\" that " +
                   out.resource + " have, not " + json_string(out.subresource));
  }
  in.texts("verbs", out.verbs);
  if (node.find("verbs") == nullptr) in.mistake(node, in.path("verbs") + " is missing");
  for (const std::string& verb : out.verbs) {
    if (std::find(std::begin(kVerbs), std::end(kVerbs), verb) != std::end(kVerbs)) continue;
    in.mistake(*node.find("verbs"), in.path("verbs") + ": unknown verb " + json_string(verb) +
                                        " (allowed: get, list, watch, create, update, patch, "
                                        "delete, deletecollection)");
  }
  in.finish();
  return out;
}

DeclaredWatch NoteReader::watch(const YamlNode& node, const std::string& where) {
  DeclaredWatch out;
  Fields in = fields(node, where);
  resource(in, node, out.group, out.resource);
  in.name("version", out.version);
  require(in, node, "version");
  if (!out.version.empty() && !is_dns_label(out.version)) {
    in.mistake(*node.find("version"),
               in.path("version") + " must be like \"v1\", not " + json_string(out.version));
  }
  in.texts("projection", out.projection);
  in.text("labelSelector", out.label_selector);
  in.text("fieldSelector", out.field_selector);
  in.finish();
  return out;
}

}  // namespace

namespace {

/// Names each text that could not be shown as it is: reports and logs print the note's texts.
void check_printable(const YamlNode& node, const std::string& where,
                     std::vector<Mistake>& mistakes) {
  const auto check = [&](const std::string& text, const YamlNode& at) {
    if (printable(text) == text) return;
    mistakes.push_back(
        {"", at.line, at.column, where + " has control characters: " + json_string(text)});
  };
  check(node.text, node);
  for (const YamlNode& item : node.items) check_printable(item, where, mistakes);
  for (const YamlMember& member : node.members) {
    check(member.key, member.value);
    check_printable(member.value, where.empty() ? printable(member.key) : where, mistakes);
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
  if (mistakes.empty()) NoteReader(result.declaration, mistakes).read(document.root);
  for (const Mistake& mistake : mistakes) {
    const bool syntax = !document.mistakes.empty();
    result.mistakes.push_back(syntax ? "line " + std::to_string(mistake.line) + ", column " +
                                           std::to_string(mistake.column) + ": " + mistake.text
                                     : mistake.text);
  }
  return result;
}

std::vector<std::string> host_capabilities() {
  return {"davit.object/1",   "davit.informer/1", "davit.queue/1",  "davit.client/1",
          "davit.timer/1",    "davit.event/1",    "davit.log/1",    "davit.clock/1",
          "davit.random/1",   "davit.metric/1",   "davit.config/1", "davit.freshness/1",
          "davit.discovery/1"};
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
  for (const std::string& id : declaration.requires_ids) {
    const bool known =
        std::find(capabilities.begin(), capabilities.end(), id) != capabilities.end();
    if (!known) missing += (missing.empty() ? "" : ", ") + id;
  }
  if (missing.empty()) return Status();
  return Status(Code::kUnsupported,
                "requires " + missing + ", which this host does not have: use a newer davit");
}

}  // namespace davit::host
