#include "tests/live/resilience/writes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <string_view>

#include "lib/kube/json.hpp"

namespace davit::live {

namespace {

constexpr char kPolicy[] = R"(apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  verbs: [create, update, patch, delete]
  resources:
  - {group: "", resources: [pods, pods/status, nodes, nodes/status, persistentvolumes,
     persistentvolumes/status, persistentvolumeclaims, persistentvolumeclaims/status]}
  - {group: apps, resources: [replicasets, replicasets/status, deployments, deployments/status]}
  - {group: batch, resources: [jobs, jobs/status]}
- level: None
)";

}  // namespace

AuditLog::AuditLog() { write_file(scratch_.path() / "policy.yaml", kPolicy); }

ControlPlaneOptions AuditLog::options() const {
  return {.apiserver_flags = {"--audit-policy-file=" + (scratch_.path() / "policy.yaml").string(),
                              "--audit-log-path=" + (scratch_.path() / "audit.log").string()}};
}

std::vector<AuditedWrite> AuditLog::writes() const { return with_status(200, 299); }

std::vector<AuditedWrite> AuditLog::forbidden() const { return with_status(403, 403); }

std::vector<AuditedWrite> AuditLog::with_status(long first, long last) const {
  std::vector<AuditedWrite> out;
  std::istringstream lines(read_file(scratch_.path() / "audit.log"));
  for (std::string line; std::getline(lines, line);) {
    const Result<Json> event = parse_json(line);
    if (!event) continue;  // The last line may be half written.
    const long status = event->get("responseStatus").get("code").integer_or(0);
    if (status < first || status > last) continue;
    const std::string subresource = event->text_at({"objectRef", "subresource"});
    const std::string& agent = event->text_at({"userAgent"});
    out.push_back({event->text_at({"requestReceivedTimestamp"}),
                   event->text_at({"user", "username"}),
                   event->text_at({"verb"}) + ' ' + event->text_at({"objectRef", "resource"}) +
                       (subresource.empty() ? "" : '/' + subresource),
                   event->text_at({"objectRef", "name"}), agent.substr(0, agent.find('/'))});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const AuditedWrite& a, const AuditedWrite& b) { return a.when < b.when; });
  return out;
}

std::vector<AuditedWrite> AuditLog::writes_after_first(std::size_t count) const {
  std::vector<AuditedWrite> out = writes();
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count));
  return out;
}

std::size_t count(const std::vector<AuditedWrite>& all, const std::string& user,
                  const std::string& what) {
  return static_cast<std::size_t>(std::ranges::count_if(
      all, [&](const AuditedWrite& each) { return each.user == user && each.what == what; }));
}

std::vector<std::string> verdicts_on_nodes(const std::vector<AuditedWrite>& all,
                                           const std::string& user) {
  constexpr std::array<std::string_view, 6> kVerdicts = {
      "patch nodes",         "update nodes",      "patch nodes/status",
      "update nodes/status", "patch pods/status", "update pods/status"};
  std::vector<std::string> out;
  for (const AuditedWrite& each : all) {
    if (each.user == user && std::ranges::find(kVerdicts, each.what) != kVerdicts.end()) {
      out.push_back(each.what + ' ' + each.name);
    }
  }
  return out;
}

std::vector<std::string> repeated(const std::vector<AuditedWrite>& all, const std::string& user) {
  std::map<std::string, int> times;
  for (const AuditedWrite& each : all) {
    const bool once = each.what.starts_with("create ") || each.what.starts_with("delete ");
    if (each.user == user && once && !each.name.empty()) ++times[each.what + ' ' + each.name];
  }
  std::vector<std::string> out;
  for (const auto& [what, number] : times) {
    if (number > 1) out.push_back(what);
  }
  return out;
}

std::vector<std::string> writes_after(const std::vector<AuditedWrite>& all,
                                      const std::string& former, const std::string& next) {
  const auto first = std::find_if(all.begin(), all.end(),
                                  [&next](const AuditedWrite& each) { return each.user == next; });
  std::vector<std::string> out;
  for (auto at = first; at != all.end(); ++at) {
    if (at->user == former) out.push_back(at->when + ' ' + at->what);
  }
  return out;
}

std::vector<std::string> programs_in_turn(const std::vector<AuditedWrite>& all,
                                          const std::vector<std::string>& users) {
  std::vector<std::string> out;
  for (const AuditedWrite& each : all) {
    if (std::ranges::find(users, each.user) == users.end()) continue;
    if (out.empty() || out.back() != each.program) out.push_back(each.program);
  }
  return out;
}

}  // namespace davit::live
