#include <algorithm>
#include <string>

#include "lib/base/assert.hpp"
#include "lib/base/lower_case.hpp"
#include "lib/base/take_until.hpp"
#include "sandbox/auth/bootstrap_roles.hpp"
#include "sandbox/auth/rbac.hpp"

namespace davit::sandbox {
namespace {

constexpr const char* kGroup = "rbac.authorization.k8s.io";
constexpr const char* kVersion = "rbac.authorization.k8s.io/v1";
constexpr std::string_view kPartOf = "rbac.authorization.k8s.io/aggregate-to-";
constexpr std::string_view kContinued = "    ";

using Objects = std::vector<std::pair<Collection, Json>>;

Json list_of(std::string_view text) {
  Json out = Json::array();
  while (!text.empty()) {
    const std::string_view item = take_until(text, ",");
    out.push_back(item == "core" ? "" : item);
  }
  return out;
}

Json label(std::string_view role) {
  return Json::object({{std::string(kPartOf) + std::string(role), "true"}});
}

Json head(std::string_view kind, std::string_view ns, std::string_view name) {
  Json metadata = Json::object({{"name", name}});
  if (ns != "-") metadata.set("namespace", ns);
  metadata.set("labels", Json::object({{"kubernetes.io/bootstrapping", "rbac-defaults"}}));
  metadata.set("annotations",
               Json::object({{"rbac.authorization.kubernetes.io/autoupdate", "true"}}));
  Json out =
      Json::object({{"apiVersion", kVersion}, {"kind", kind}, {"metadata", std::move(metadata)}});
  if (kind.ends_with("Role")) out.set("rules", Json::array());
  return out;
}

Json subject(std::string_view kind, std::string_view name) {
  if (kind != "ServiceAccount") {
    return Json::object({{"kind", kind}, {"apiGroup", kGroup}, {"name", name}});
  }
  const std::string_view ns = take_until(name, "/");
  return Json::object({{"kind", kind}, {"name", name}, {"namespace", ns}});
}

Json rule(std::string_view rest) {
  Json out = Json::object({{"verbs", list_of(take_until(rest, " "))}});
  out.set("apiGroups", list_of(take_until(rest, " ")));
  out.set("resources", list_of(take_until(rest, " ")));
  if (!rest.empty()) out.set("resourceNames", list_of(rest));
  return out;
}

/// Adds to `object` what a line below its head says.
void add_line(Json& object, std::string_view rest) {
  const std::string_view word = take_until(rest, " ");
  if (word == "rule") {
    object["rules"].push_back(rule(rest));
  } else if (word == "urls") {
    Json verbs = list_of(take_until(rest, " "));
    object["rules"].push_back(
        Json::object({{"verbs", std::move(verbs)}, {"nonResourceURLs", list_of(rest)}}));
  } else if (word == "part-of") {
    object["metadata"]["labels"].set(std::string(kPartOf) + std::string(rest), "true");
  } else if (word == "consists-of") {
    object["aggregationRule"]["clusterRoleSelectors"].push_back(
        Json::object({{"matchLabels", label(rest)}}));
  } else if (word == "gives") {
    const std::string_view kind = take_until(rest, " ");
    object.set("roleRef", Json::object({{"apiGroup", kGroup}, {"kind", kind}, {"name", rest}}));
  } else {
    DAVIT_ASSERT(word == "to");
    const std::string_view kind = take_until(rest, " ");
    object["subjects"].push_back(subject(kind, rest));
  }
}

/// The next line of `table`, joined with those that continue it.
std::string take_line(std::string_view& table) {
  std::string out(take_until(table, "\n"));
  while (table.starts_with(kContinued)) {
    out += take_until(table, "\n").substr(kContinued.size());
  }
  return out;
}

void read(std::string_view table, Objects& out) {
  while (!table.empty()) {
    const std::string line = take_line(table);
    if (line.empty()) continue;
    std::string_view rest = line;
    if (rest.starts_with("  ")) {
      add_line(out.back().second, rest.substr(2));
      continue;
    }
    const std::string_view kind = take_until(rest, " ");
    const std::string_view ns = take_until(rest, " ");
    out.emplace_back(Collection{kGroup, lower_case(std::string(kind)) + 's'}, head(kind, ns, rest));
  }
}

}  // namespace

std::pair<Collection, Json> metrics_reader_role() {
  Objects out;
  read(R"(ClusterRole - system:aggregated-metrics-reader
  part-of view
  part-of edit
  part-of admin
  rule get,list,watch metrics.k8s.io pods,nodes
)",
       out);
  return std::move(out.front());
}

std::vector<std::pair<Collection, Json>> bootstrap_policy() {
  Objects out;
  read(bootstrap_roles(), out);
  read(controller_roles(), out);
  return out;
}

}  // namespace davit::sandbox
