#include "host/loading/declared_config.hpp"

#include <algorithm>
#include <davit/kube/label_syntax.hpp>
#include <optional>
#include <utility>

#include "host/outbound/outbound_url.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/printable.hpp"
#include "lib/base/take_until.hpp"
#include "lib/kube/label_selector.hpp"
#include "lib/kube/strict_json.hpp"

namespace davit::host {
namespace {

/// The server reads at most 1 MiB of a request's head, and a selector grows threefold in a URL.
constexpr std::size_t kSelectorBytesMax = std::size_t{64} << 10;
/// Each gets a Role, a RoleBinding and a watch of its own.
constexpr std::size_t kNamespacesMax = 1000;
/// Each request is compared with every host, and each is a label of metrics.
constexpr std::size_t kHostsMax = 100;
/// Mozilla's whole list of roots has a fifth of it.
constexpr std::size_t kRootsBytesMax = std::size_t{1} << 20;

Status invalid(std::string text) { return {Code::kInvalid, std::move(text)}; }

Status check_selector_text(std::string_view text) {
  if (text.size() > kSelectorBytesMax) {
    return invalid("must have at most " + std::to_string(kSelectorBytesMax) + " bytes, not " +
                   short_json_string(text));
  }
  if (printable(text) == text) return {};
  return invalid("may not have control characters, not " + short_json_string(text));
}

Status check_roots(std::string_view text) {
  if (text.size() <= kRootsBytesMax) return {};
  return invalid("must have at most " + std::to_string(kRootsBytesMax) + " bytes");
}

Status check_each_host(std::vector<std::string>& hosts, DeclaredHost::Path path) {
  if (hosts.empty()) return invalid("must have at least one entry");
  if (hosts.size() > kHostsMax) {
    return invalid("must have at most " + std::to_string(kHostsMax) + " entries");
  }
  for (std::string& each : hosts) {
    const Result<DeclaredHost> host = DeclaredHost::parse(each, path);
    if (!host) return invalid(host.error().message() + ", not " + short_json_string(each));
    each = host->text();
  }
  return {};
}

/// The operator writes the URL of a service, where the note has its host.
Status check_servers(std::vector<std::string>& urls) {
  return check_each_host(urls, DeclaredHost::Path::kIgnored);
}

/// The value at `path`; null when there is none.
const YamlNode* find_path(const YamlNode& root, std::string_view path) {
  const YamlNode* node = &root;
  while (node != nullptr && !path.empty()) {
    node = node->find(take_until(path, "."));
  }
  return node == nullptr || node->is_null() ? nullptr : node;
}

/// Reads the values that one note takes from one configuration.
class ConfigReader {
 public:
  /// `config` must outlive this.
  explicit ConfigReader(const YamlNode& config) : config_(config) {}

  /// `purpose` says for people what the value is: "the labelSelector of the watch of pods".
  Status text(const ConfigSource& source, const std::string& purpose,
              Status (*check)(std::string_view), std::string& out) const;
  /// `allowed` completes "must be".
  Status list(const ConfigSource& source, const std::string& purpose, const char* allowed,
              Status (*check)(std::vector<std::string>&), std::vector<std::string>& out) const;
  Status namespaces(const ConfigSource& source, const std::string& purpose,
                    std::vector<std::string>& out) const {
    return list(source, purpose, "a namespace or a list of them", check_namespaces, out);
  }

 private:
  /// Null when the note has the value.
  [[nodiscard]] Result<const YamlNode*> value(const ConfigSource& source,
                                              const std::string& purpose) const;
  static Status wrong(const ConfigSource& source, const std::string& purpose,
                      const std::string& what) {
    return invalid("config." + source.path + " " + what + ": the plugin's note takes " + purpose +
                   " from it");
  }

  const YamlNode& config_;
};

Result<const YamlNode*> ConfigReader::value(const ConfigSource& source,
                                            const std::string& purpose) const {
  if (source.path.empty()) return nullptr;
  const YamlNode* const found = find_path(config_, source.path);
  if (found == nullptr && !source.has_default) return wrong(source, purpose, "is missing");
  return found;
}

Status ConfigReader::text(const ConfigSource& source, const std::string& purpose,
                          Status (*check)(std::string_view), std::string& out) const {
  const Result<const YamlNode*> found = value(source, purpose);
  if (!found) return found.error();
  if (*found == nullptr) return {};
  const YamlNode& node = **found;
  if (node.kind != YamlNode::Kind::kString) {
    return wrong(source, purpose, "must be a string, not " + node.describe());
  }
  if (Status s = check(node.text); !s.ok()) return wrong(source, purpose, s.message());
  out = node.text;
  return {};
}

Status ConfigReader::list(const ConfigSource& source, const std::string& purpose,
                          const char* allowed, Status (*check)(std::vector<std::string>&),
                          std::vector<std::string>& out) const {
  const Result<const YamlNode*> found = value(source, purpose);
  if (!found) return found.error();
  if (*found == nullptr) return {};
  const YamlNode& node = **found;
  std::vector<std::string> read;
  const auto take = [&read](const YamlNode& item) {
    if (item.kind != YamlNode::Kind::kString) return false;
    read.push_back(item.text);
    return true;
  };
  const bool good = node.kind == YamlNode::Kind::kSequence
                        ? std::all_of(node.items.begin(), node.items.end(), take)
                        : take(node);
  if (!good) return wrong(source, purpose, std::string("must be ") + allowed);
  if (Status s = check(read); !s.ok()) return wrong(source, purpose, s.message());
  out = std::move(read);
  return {};
}

bool takes_from_config(const DeclaredController& declared) {
  const auto rule = [](const DeclaredRule& each) { return !each.namespaces_from.path.empty(); };
  const auto watch = [](const DeclaredWatch& each) {
    return !each.namespaces_from.path.empty() || !each.label_selector_from.path.empty() ||
           !each.field_selector_from.path.empty();
  };
  return !declared.http.hosts_from.path.empty() || !declared.http.roots_from.path.empty() ||
         std::any_of(declared.rules.begin(), declared.rules.end(), rule) ||
         std::any_of(declared.watches.begin(), declared.watches.end(), watch);
}

Status fill(DeclaredHttp& http, const ConfigReader& config) {
  Status s = config.list(http.hosts_from, "the hosts of its HTTP requests",
                         "the URL of a server or a list of them", check_servers, http.hosts);
  if (!s.ok()) return s;
  return config.text(http.roots_from, "the roots of its HTTP requests", check_roots, http.roots);
}

Status fill(DeclaredWatch& watch, const ConfigReader& config) {
  const std::string of = " of the watch of " + watch.resource;
  Status s = config.text(watch.label_selector_from, "labelSelector" + of, check_label_selector,
                         watch.label_selector);
  if (s.ok()) {
    s = config.text(watch.field_selector_from, "fieldSelector" + of, check_field_selector,
                    watch.field_selector);
  }
  if (!s.ok()) return s;
  return config.namespaces(watch.namespaces_from, "namespaces" + of, watch.namespaces);
}

}  // namespace

Status apply_config(DeclaredController& declared, std::string_view config) {
  if (!takes_from_config(declared)) return {};
  YamlDocument document;
  if (!config.empty()) document = parse_strict_json(config, "config");
  if (!document.mistakes.empty()) return invalid(document.mistakes.front().str());
  const ConfigReader reader(document.root);
  for (DeclaredWatch& watch : declared.watches) {
    if (Status s = fill(watch, reader); !s.ok()) return s;
  }
  for (DeclaredRule& rule : declared.rules) {
    Status s = reader.namespaces(rule.namespaces_from, "namespaces of the rule of " + rule.resource,
                                 rule.namespaces);
    if (!s.ok()) return s;
  }
  return fill(declared.http, reader);
}

Status check_label_selector(std::string_view text) {
  if (Status s = check_selector_text(text); !s.ok()) return s;
  const Result<LabelSelector> parsed = LabelSelector::parse(text);
  if (parsed) return {};
  return invalid("must be a label selector such as \"app=web,tier!=test\", not " +
                 short_json_string(text));
}

Status check_field_selector(std::string_view text) {
  if (Status s = check_selector_text(text); !s.ok()) return s;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view term = take_until(rest, ",");
    const std::string_view field = term.substr(0, term.find_first_of("=!"));
    const std::string_view op = term.substr(field.size());
    const bool good = !field.empty() && field.find_first_of(" \t/\\&#?") == field.npos &&
                      (op.starts_with("=") || op.starts_with("!="));
    if (!good) {
      return invalid("must be a field selector such as \"metadata.name=web\", not " +
                     short_json_string(text));
    }
  }
  return {};
}

Status check_namespaces(std::vector<std::string>& namespaces) {
  if (namespaces.empty()) {
    return invalid("must have at least one entry; [\"*\"] means every namespace");
  }
  if (namespaces.size() > kNamespacesMax) {
    return invalid("must have at most " + std::to_string(kNamespacesMax) + " entries");
  }
  if (namespaces.size() == 1 && namespaces.front() == "*") {
    namespaces.clear();
    return {};
  }
  for (const std::string& each : namespaces) {
    if (is_dns_label(each)) continue;
    return invalid("must be names of namespaces such as \"default\", not " +
                   short_json_string(each));
  }
  return {};
}

Status check_hosts(std::vector<std::string>& hosts) {
  return check_each_host(hosts, DeclaredHost::Path::kRefused);
}

bool is_config_path(std::string_view text) {
  constexpr std::size_t kBytesMax = 253;  // As other names; deeper than anyone writes.
  if (text.empty() || text.size() > kBytesMax) return false;
  while (true) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    if (!has_qualified_form(text.substr(0, dot))) return false;
    if (dot == text.size()) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace davit::host
