#include "cli/rbac_command.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>

#include "cli/options.hpp"
#include "cli/server_connection.hpp"
#include "host/api/service_accounts.hpp"
#include "host/api/wait.hpp"
#include "host/loading/catalog.hpp"
#include "host/loading/declared_config.hpp"
#include "host/loading/signature.hpp"
#include "host/oci/plugin_sources.hpp"
#include "host/process/desired_state.hpp"
#include "host/process/exit_codes.hpp"
#include "host/process/rights_review.hpp"
#include "host/upstream/controllers_flag.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/silent_log_sink.hpp"
#include "lib/base/text_file.hpp"
#include "lib/net/certificate_pool.hpp"

namespace davit::host {
namespace {

/// A person waits for the check.
constexpr TokenBucket::Rate kCheckRate{50, 100};
constexpr const char* kRbacGroup = "rbac.authorization.k8s.io";
/// In the order that people write them.
constexpr const char* kVerbOrder[] = {"get",    "list",  "watch",  "create",
                                      "update", "patch", "delete", "deletecollection"};

std::vector<std::string> ordered(const std::set<std::string>& verbs) {
  if (verbs.contains("*")) return {"*"};
  std::vector<std::string> out;
  for (const char* verb : kVerbOrder) {
    if (verbs.contains(verb)) out.emplace_back(verb);
  }
  for (const std::string& verb : verbs) {
    if (std::find(out.begin(), out.end(), verb) == out.end()) out.push_back(verb);
  }
  return out;
}

/// A YAML flow sequence of quoted strings.
std::string flow(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) out += (out.size() > 1 ? ", " : "") + json_string(item);
  return out + "]";
}

std::string rule_yaml(const std::vector<std::string>& groups,
                      const std::vector<std::string>& resources,
                      const std::vector<std::string>& names,
                      const std::vector<std::string>& verbs) {
  std::string out = "- apiGroups: " + flow(groups) + "\n  resources: " + flow(resources) + "\n";
  if (!names.empty()) out += "  resourceNames: " + flow(names) + "\n";
  return out + "  verbs: " + flow(verbs) + "\n";
}

std::string head(const char* api_version, const char* kind, const std::string& name,
                 const std::string& ns) {
  std::string out = std::string("apiVersion: ") + api_version + "\nkind: " + kind +
                    "\nmetadata:\n  name: " + json_string(name) + "\n";
  if (!ns.empty()) out += "  namespace: " + json_string(ns) + "\n";
  return out;
}

/// The subjects of the bindings, and the name of the roles and bindings.
struct Subject {
  std::string roles;
  std::string account;  ///< A ServiceAccount, unless there are users or groups.
  std::string ns;
  std::vector<std::string> users = {};
  std::vector<std::string> groups = {};
};

std::string subjects(const Subject& subject) {
  std::string out = "subjects:\n";
  const auto add = [&out](const char* kind, const std::string& name) {
    out += std::string("- apiGroup: ") + kRbacGroup + "\n  kind: " + kind +
           "\n  name: " + json_string(name) + "\n";
  };
  for (const std::string& each : subject.users) add("User", each);
  for (const std::string& each : subject.groups) add("Group", each);
  if (!subject.users.empty() || !subject.groups.empty()) return out;
  return out + "- kind: ServiceAccount\n  name: " + json_string(subject.account) +
         "\n  namespace: " + json_string(subject.ns) + "\n";
}

std::string binding(const char* kind, const char* role, const std::string& binding_ns,
                    const Subject& subject) {
  return head("rbac.authorization.k8s.io/v1", kind, subject.roles, binding_ns) +
         "roleRef:\n  apiGroup: " + kRbacGroup + "\n  kind: " + role +
         "\n  name: " + json_string(subject.roles) + "\n" + subjects(subject);
}

/// Resources of one group with the same names and verbs share a rule.
std::string resource_rules(const Rights& rights) {
  std::string out;
  std::map<std::tuple<std::string, std::vector<std::string>, std::vector<std::string>>,
           std::vector<std::string>>
      rules;
  for (const auto& [object, verbs] : rights.verbs) {
    rules[{object.group, ordered(verbs), object.names}].push_back(object.resource);
  }
  for (const auto& [key, resources] : rules) {
    const auto& [group, verbs, names] = key;
    out += rule_yaml({group}, resources, names, verbs);
  }
  return out;
}

std::string url_rule(const std::vector<std::string>& urls, const std::vector<std::string>& verbs) {
  return "- nonResourceURLs: " + flow(urls) + "\n  verbs: " + flow(verbs) + "\n";
}

/// All rules, those of URLs last.
std::string role_rules(const Rights& rights) {
  std::string out = resource_rules(rights);
  std::map<std::vector<std::string>, std::vector<std::string>> urls;
  for (const auto& [url, verbs] : rights.url_verbs) urls[ordered(verbs)].push_back(url);
  for (const auto& [verbs, some] : urls) out += url_rule(some, verbs);
  return out;
}

std::string cluster_role(const Rights& rights, const std::string& name) {
  return head("rbac.authorization.k8s.io/v1", "ClusterRole", name, "") + "rules:\n" +
         role_rules(rights);
}

/// No role can say where HTTP requests go; a network policy can.
std::string http_comment(const std::vector<DeclaredController>& controllers) {
  std::string out;
  for (const DeclaredController& each : controllers) {
    if (each.http.hosts.empty()) continue;
    out += "#   " + each.name + ":";
    for (const std::string& host : each.http.hosts) out += " " + host;
    out += "\n";
  }
  if (out.empty()) return out;
  return "# Beside these rights, HTTP requests to servers outside the cluster:\n" + out;
}

/// The controllers that the manifest enables, of all its plugins.
std::vector<DeclaredController> enabled_controllers(const Catalog& catalog,
                                                    const Manifest& manifest,
                                                    std::vector<Mistake>& mistakes) {
  const std::vector<KnownController> known = known_controllers(catalog);
  std::vector<std::string> ignored;  // `davit run` prints them.
  const std::vector<std::string> list =
      without_foreign_controllers(translate_aliases(manifest.controllers, known), known, ignored);
  for (std::string& text : unknown_controllers(list, known)) {
    mistakes.push_back({"", 0, 0, "controllers: " + text});
  }
  std::vector<DeclaredController> out;
  for (const CatalogPlugin& plugin : catalog.plugins) {
    for (const CatalogController& each : plugin.controllers) {
      // `enabled: true` in the manifest switches on what is off by default.
      const bool off = each.declared.off_by_default && !each.settings.enabled;
      if (!each.settings.enabled.value_or(true)) continue;
      if (!controller_enabled(list, each.declared.name, off)) continue;
      out.push_back(each.declared);
      const Status configured = apply_config(out.back(), each.settings.config);
      if (configured.ok()) continue;
      mistakes.push_back(
          {"", 0, 0, "controller " + each.declared.name + ": " + configured.message()});
    }
  }
  return out;
}

std::string namespaced_roles(const RightsByNamespace& rights, const Subject& subject) {
  std::string out;
  for (const auto& [ns, some] : rights) {
    if (ns.empty()) continue;
    out += "---\n" + head("rbac.authorization.k8s.io/v1", "Role", subject.roles, ns);
    out += "rules:\n" + resource_rules(some);
    out += "---\n" + binding("RoleBinding", "Role", ns, subject);
  }
  return out;
}

/// The account of a controller, with its roles. The server has roles system:controller:* for
/// upstream's accounts; these add what davit's controllers do otherwise, as patches instead of
/// updates.
std::string account_yaml(const std::string& account, RightsByNamespace rights,
                         const RbacOptions& options) {
  const Subject subject{options.name + ":controller:" + account, account,
                        std::string(kAccountNamespace)};
  return "---\n" + head("v1", "ServiceAccount", subject.account, subject.ns) + "---\n" +
         cluster_role(rights[""], subject.roles) + "---\n" +
         binding("ClusterRoleBinding", "ClusterRole", "", subject) +
         namespaced_roles(rights, subject);
}

/// The rules of roles that an account lacks, those of each namespace after a comment.
std::string missing_rules(const std::string& account, const RightsByNamespace& rights) {
  std::string out;
  for (const auto& [ns, some] : rights) {
    out += ns.empty() ? "# for the whole cluster" : "# in the namespace " + ns;
    if (!account.empty()) {
      out += ", for the ServiceAccount " + std::string(kAccountNamespace) + "/" + account;
    }
    out += "\n" + role_rules(some);
  }
  return out;
}

}  // namespace

std::string rbac_yaml(const std::vector<DeclaredController>& controllers,
                      const LeaderElectionSettings& election, const RbacOptions& options) {
  std::map<std::string, RightsByNamespace> accounts =
      needed_rights(controllers, {options.accounts, election});
  const RightsByNamespace rights = std::move(accounts[""]);
  accounts.erase("");
  const Subject subject{options.name, options.name, options.ns, options.users, options.groups};
  std::string out;
  if (options.users.empty() && options.groups.empty()) {
    out = head("v1", "ServiceAccount", options.name, options.ns) + "---\n";
  }
  out += http_comment(controllers) + cluster_role(rights.at(""), options.name);
  out += "---\n" + binding("ClusterRoleBinding", "ClusterRole", "", subject);
  out += namespaced_roles(rights, subject);
  for (auto& [account, some] : accounts) out += account_yaml(account, std::move(some), options);
  return out;
}

int check_rights(const std::map<std::string, RightsByNamespace>& rights,
                 const ClientOfAccount& client_of, std::ostream& out, std::ostream& err) {
  std::string missing;
  std::size_t reviewed = 0;
  bool all_known = true;
  for (const auto& [account, some] : rights) {
    RestClient& client = client_of(account);
    const std::set<Right> asked = rights_of(some);
    const RightsReview review = review_rights(client, asked, {});
    reviewed += asked.size();
    missing += missing_rules(account, joined(review.missing));
    if (review.unknown.empty()) continue;
    all_known = false;
    const std::string who =
        account.empty() ? std::string() : "of the ServiceAccount " + account + " ";
    err << "davit: " << review.unknown.size() << " rights " << who << "could not be checked: "
        << (account.empty() ? explain_first_contact(review.failure, client.server())
                            : review.failure.message())
        << "\n";
    // The accounts need the host's identity.
    if (account.empty() && review.unknown.size() == asked.size()) return kExitFailed;
  }
  if (!missing.empty()) {
    out << "# These rights are missing. `davit rbac` prints roles with them.\n" << missing;
  } else if (all_known) {
    out << "All " << reviewed << " rights are there.\n";
  }
  return missing.empty() && all_known ? kExitGood : kExitFailed;
}

namespace {

/// The user of a kubeconfig, as the server knows it; empty where only the server can say.
std::string user_of(const Manifest& manifest) {
  if (manifest.client.kubeconfig.empty()) return {};
  const Result<ConnectionConfig> connection = load_connection(lookup_of(manifest.client));
  if (!connection) return {};  // The machine that prints rights need not be the host's.
  if (!connection->impersonate.user.empty()) return connection->impersonate.user;
  const Result<std::string> pem = connection->cert_data.empty()
                                      ? read_text_file(connection->cert_file)
                                      : Result<std::string>(connection->cert_data);
  const Result<CertificateSubject> subject =
      pem ? certificate_subject(*pem) : Result<CertificateSubject>(pem.error());
  return subject ? subject->common_name : std::string();
}

/// The clients of the check, made when they are first asked for. They create no object.
class AccountClients {
 public:
  explicit AccountClients(ConnectionConfig connection) : connection_(std::move(connection)) {}

  [[nodiscard]] Status open(Accounts accounts) {
    if (Status s = own_.open(connection_, 0); !s.ok()) return s;
    root_ = make(*own_.transport);
    if (accounts == Accounts::kTheHosts) return {};
    const Logger log(*own_.sink);
    Result<std::unique_ptr<Transport>> anonymous =
        connect_anonymously(connection_, *own_.clock, own_.metrics, log);
    if (!anonymous) return anonymous.error();
    anonymous_ = std::move(*anonymous);
    accounts_.emplace(*anonymous_, *root_, DryRun::kServer, log);
    return {};
  }

  [[nodiscard]] RestClient& client(const std::string& account) {
    if (account.empty()) return *root_;
    return *made_.emplace_back(make(accounts_->transport(account)));
  }

 private:
  [[nodiscard]] std::unique_ptr<RestClient> make(Transport& transport) {
    return std::make_unique<RestClient>(
        transport, *own_.clock, own_.metrics, Logger(*own_.sink),
        RestOptions{.rate = kCheckRate, .user_agent = user_agent("rbac")});
  }

  const ConnectionConfig connection_;
  ServerConnection own_;
  std::unique_ptr<RestClient> root_;
  std::unique_ptr<Transport> anonymous_;     // With accounts.
  std::optional<ServiceAccounts> accounts_;  // Likewise.
  std::vector<std::unique_ptr<RestClient>> made_;
};

int run_check(const std::vector<DeclaredController>& controllers, const Manifest& manifest,
              Accounts accounts, std::ostream& out, std::ostream& err) {
  Result<ConnectionConfig> connection = load_connection(lookup_of(manifest.client));
  if (!connection) {
    err << "davit: " << connection.error().message() << "\n";
    return kExitMistakes;
  }
  AccountClients clients(*std::move(connection));
  if (Status s = clients.open(accounts); !s.ok()) {
    err << "davit: " << s.message() << "\n";
    return kExitMistakes;
  }
  return check_rights(
      needed_rights(controllers, {accounts, manifest.leader_election}),
      [&clients](const std::string& account) -> RestClient& { return clients.client(account); },
      out, err);
}

std::vector<Mistake> pull_quietly(Manifest& manifest, const std::string& file) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  SilentLogSink sink;
  return pull_plugins(manifest, file, {*clock, Logger(sink)});
}

/// Checks the pulled plugins as a host does before it loads them: a registry must not say which
/// rights a person grants.
std::vector<Mistake> check_pulled(const Catalog& catalog, const Manifest& manifest,
                                  const std::string& file) {
  std::vector<Mistake> mistakes;
  const SignatureSettings& settings = manifest.plugin_signatures;
  for (const CatalogPlugin& each : catalog.plugins) {
    if (each.settings.source.empty()) continue;
    const PluginDeclaration& declared = each.file.declaration;
    const SignedPlugin plugin{each.file.digest, declared.name, declared.version};
    Status s = check_signature(each.file.path, plugin, settings);
    if (s.ok()) s = check_version(plugin, settings);
    if (s.ok()) s = check_revoked(plugin, settings);
    if (s.ok()) continue;
    mistakes.push_back({file, each.settings.line, each.settings.column,
                        "plugin " + each.settings.label() + ": " + s.message()});
  }
  return mistakes;
}

}  // namespace

int run_rbac(const RbacOptions& options, std::ostream& out, std::ostream& err) {
  RunOptions flags;
  flags.manifest = options.manifest;
  flags.plugin_directories = options.plugin_directories;
  if (!options.kubeconfig.empty()) flags.kubeconfig = options.kubeconfig;
  SettingsResult merged = merge_settings(flags);
  std::vector<Mistake> mistakes = std::move(merged.mistakes);
  if (mistakes.empty()) mistakes = pull_quietly(merged.settings.manifest, options.manifest);
  const Manifest& manifest = merged.settings.manifest;
  std::vector<DeclaredController> controllers;
  if (mistakes.empty()) {
    const Catalog catalog = resolve_plugins(manifest, options.manifest);
    mistakes = catalog.mistakes;
    if (catalog.ok()) mistakes = check_pulled(catalog, manifest, options.manifest);
    if (mistakes.empty()) controllers = enabled_controllers(catalog, manifest, mistakes);
  }
  for (const Mistake& mistake : mistakes) err << "davit: " << mistake.str() << "\n";
  if (!mistakes.empty()) return kExitMistakes;
  RbacOptions printed = options;
  if (manifest.client.service_account_credentials) {
    printed.accounts = Accounts::kOneEach;
  }
  if (options.what == RbacOptions::Do::kCheck) {
    return run_check(controllers, manifest, printed.accounts, out, err);
  }
  if (printed.users.empty() && printed.groups.empty()) {
    if (std::string user = user_of(manifest); !user.empty()) {
      out << "# The user is that of " << manifest.client.kubeconfig << ".\n";
      printed.users.push_back(std::move(user));
    }
  }
  out << rbac_yaml(controllers, manifest.leader_election, printed);
  return 0;
}

}  // namespace davit::host
