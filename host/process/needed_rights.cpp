#include "host/process/needed_rights.hpp"

#include <algorithm>
#include <utility>

#include "host/api/service_account_token.hpp"
#include "host/serving/client_trust.hpp"
#include "host/upstream/controllers.hpp"
#include "host/upstream/upstream_clients.hpp"
#include "host/upstream/upstream_process.hpp"
#include "lib/kube/required_name.hpp"

namespace davit::host {
namespace {

using RightsByAccount = std::map<std::string, RightsByNamespace>;

void add(RightsByNamespace& out, const std::vector<std::string>& namespaces,
         const RightsObject& object, const std::vector<std::string>& verbs) {
  const auto add_to = [&](const std::string& ns) {
    out[ns].verbs[object].insert(verbs.begin(), verbs.end());
  };
  if (namespaces.empty()) return add_to("");
  for (const std::string& ns : namespaces) add_to(ns);
}

std::string with_subresource(const DeclaredRule& rule) {
  return rule.subresource.empty() ? rule.resource : rule.resource + "/" + rule.subresource;
}

void add_rules(RightsByNamespace& rights, const DeclaredController& controller) {
  for (const DeclaredRule& rule : controller.rules) {
    for (const std::string& url : rule.non_resource_urls) {
      rights[""].url_verbs[url].insert(rule.verbs.begin(), rule.verbs.end());
    }
    if (rule.resource.empty()) continue;
    std::vector<std::string> names = rule.resource_names;
    std::sort(names.begin(), names.end());
    add(rights, rule.namespaces, {rule.group, with_subresource(rule), std::move(names)},
        rule.verbs);
  }
}

void add_watches(RightsByNamespace& rights, const DeclaredController& controller) {
  for (const DeclaredWatch& watch : controller.watches) {
    RightsObject object{watch.group, watch.resource};
    if (const auto name = required_name(watch.field_selector); !name.empty()) {
      object.names.emplace_back(name);
    }
    add(rights, watch.namespaces, object, {"get", "list", "watch"});
  }
}

/// Events are written by the controllers and by the host, and repeats of one as patches.
void add_events(RightsByNamespace& rights) {
  for (const char* group : {"", "events.k8s.io"}) {
    add(rights, {}, {group, "events"}, {"create", "patch"});
  }
}

/// The account in whose name a controller acts; empty: the host's.
std::string account_of(const DeclaredController& controller, Accounts accounts) {
  const std::string client = upstream_client(controller);
  return accounts == Accounts::kOneEach && has_own_account(client) ? client : "";
}

/// The rights to list and watch that its rules imply at run time: a garbage collector
/// watches every kind.
void add_rules_of_watches(RightsByNamespace& rights, const DeclaredController& controller) {
  for (const DeclaredRule& rule : controller.rules) {
    if (rule.resource.empty() || !rule.subresource.empty()) continue;
    const auto grants = [&](std::string_view verb) {
      return std::find(rule.verbs.begin(), rule.verbs.end(), verb) != rule.verbs.end();
    };
    if (!grants("list") && !grants("watch") && !grants("*")) continue;
    add(rights, rule.namespaces, {rule.group, rule.resource, rule.resource_names},
        {"get", "list", "watch"});
  }
}

/// For controllers with their own accounts: the host fetches the tokens. A rule without names would
/// be one for all accounts.
void add_tokens(RightsByNamespace& host, const std::vector<std::string>& accounts) {
  const std::vector<std::string> in_system = {std::string(kAccountNamespace)};
  add(host, in_system, {"", "serviceaccounts"}, {"create"});  // It has no name yet.
  add(host, in_system, {"", "serviceaccounts", accounts}, {"get"});
  add(host, in_system, {"", "serviceaccounts/token", accounts}, {"create"});
}

void add_controller(RightsByAccount& out, const DeclaredController& controller, Accounts accounts) {
  const std::string account = account_of(controller, accounts);
  add_rules(out[account], controller);
  add_watches(out[account], controller);
  add_watches(out[""], controller);
  if (!account.empty()) add_rules_of_watches(out[""], controller);
  add_events(out[account]);
}

void add_election(RightsByNamespace& host, const LeaderElectionSettings& election) {
  if (!election.enabled) return;
  std::vector<std::string> names = {election.name};
  if (election.migrates) names.push_back(election.migration.leader_name);
  // A name is not known to the server yet when an object is created.
  add(host, {election.ns}, {"coordination.k8s.io", "leases"}, {"create"});
  add(host, {election.ns}, {"coordination.k8s.io", "leases", names}, {"get", "update", "patch"});
}

void add_host(RightsByNamespace& host, const std::vector<DeclaredController>& controllers,
              const LeaderElectionSettings& election) {
  add_events(host);
  // The HTTPS port asks who a token belongs to, and what its user may read.
  add(host, {}, {"authentication.k8s.io", "tokenreviews"}, {"create"});
  add(host, {}, {"authorization.k8s.io", "subjectaccessreviews"}, {"create"});
  add(host, {kTrustNamespace}, {"", "configmaps", {kTrustConfigMap}}, {"get"});
  for (const char* url :
       {"/healthz", "/livez", "/readyz", "/version", "/api", "/api/*", "/apis", "/apis/*"}) {
    host[""].url_verbs[url].insert("get");
  }
  add_election(host, election);
  // The host does not start beside an active kube-controller-manager with the same controllers.
  const auto is_upstreams = [](const DeclaredController& each) {
    return find_upstream_controller(each.name) != nullptr;
  };
  if (std::ranges::any_of(controllers, is_upstreams)) {
    const RightsObject lease{"coordination.k8s.io", "leases", {std::string(kUpstreamLease)}};
    add(host, {std::string(kUpstreamLeaseNamespace)}, lease, {"get"});
  }
}

std::vector<std::string> own_accounts(const RightsByAccount& rights) {
  std::vector<std::string> out;
  for (const auto& [account, some] : rights) {
    if (!account.empty()) out.push_back(account);
  }
  return out;
}

void note_owner(std::map<std::string, RightsOwners>& out, const RightsByAccount& rights,
                std::string_view owner) {
  for (const auto& [account, some] : rights) {
    for (const Right& each : rights_of(some)) out[account][each].emplace(owner);
  }
}

}  // namespace

std::map<std::string, RightsByNamespace> needed_rights(
    const std::vector<DeclaredController>& controllers, const RightsTerms& terms) {
  RightsByAccount out;
  for (const DeclaredController& each : controllers) add_controller(out, each, terms.accounts);
  if (const auto accounts = own_accounts(out); !accounts.empty()) add_tokens(out[""], accounts);
  add_host(out[""], controllers, terms.election);
  return out;
}

std::set<Right> rights_of(const RightsByNamespace& rights) {
  std::set<Right> out;
  for (const auto& [ns, some] : rights) {
    for (const auto& [object, verbs] : some.verbs) {
      const std::vector<std::string> all = {""};
      for (const std::string& name : object.names.empty() ? all : object.names) {
        for (const std::string& verb : verbs) {
          out.insert({ns, object.group, object.resource, name, "", verb});
        }
      }
    }
    for (const auto& [url, verbs] : some.url_verbs) {
      for (const std::string& verb : verbs) out.insert({"", "", "", "", url, verb});
    }
  }
  return out;
}

RightsByNamespace joined(const std::set<Right>& rights) {
  RightsByNamespace out;
  for (const Right& each : rights) {
    if (each.resource.empty()) {
      out[""].url_verbs[each.url].insert(each.verb);
      continue;
    }
    RightsObject object{each.group, each.resource};
    if (!each.name.empty()) object.names.push_back(each.name);
    out[each.ns].verbs[object].insert(each.verb);
  }
  return out;
}

std::map<std::string, RightsOwners> owners_of_rights(
    const std::vector<DeclaredController>& controllers, const RightsTerms& terms) {
  std::map<std::string, RightsOwners> out;
  for (const DeclaredController& each : controllers) {
    RightsByAccount rights;
    add_controller(rights, each, terms.accounts);
    if (const auto own = own_accounts(rights); !own.empty()) add_tokens(rights[""], own);
    note_owner(out, rights, each.name);
  }
  RightsByAccount host;
  add_host(host[""], controllers, terms.election);
  note_owner(out, host, kRightsOfTheHost);
  return out;
}

}  // namespace davit::host
