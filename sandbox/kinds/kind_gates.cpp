#include "sandbox/kinds/kind_gates.hpp"

#include <algorithm>

#include "sandbox/kinds/builtin_table.hpp"
#include "sandbox/kinds/config_rules.hpp"
#include "sandbox/kinds/network_rules.hpp"
#include "sandbox/kinds/workload_rules.hpp"

namespace davit::sandbox {

namespace {

struct GatedKind {
  MakeRules by_default;  ///< As in the table of kinds.
  std::shared_ptr<const KindRules> (*under)(const KindFacts& facts, const KindGates& gates);
};
constexpr GatedKind kGatedKinds[] = {{autoscaler_rules, gated_autoscaler_rules},
                                     {autoscaler_v1_rules, gated_autoscaler_v1_rules},
                                     {stateful_set_rules, gated_stateful_set_rules}};

/// Gives the resource of `row` its rules.
void replace_rules(std::vector<ResourcePtr>& resources, const ResourceRow& row,
                   const std::shared_ptr<const KindRules>& rules) {
  for (ResourcePtr& each : resources) {
    if (each->group != row.group || each->version != row.version || each->name != row.name) {
      continue;
    }
    auto changed = std::make_shared<Resource>(*each);
    changed->rules = rules;
    each = std::move(changed);
  }
}

}  // namespace

void apply_gates(std::vector<ResourcePtr>& resources, const KindGates& gates) {
  for (const ResourceRow& row : resource_rows()) {
    const auto* kind = std::ranges::find(kGatedKinds, row.rules, &GatedKind::by_default);
    if (kind != std::end(kGatedKinds)) {
      replace_rules(resources, row, kind->under(facts_of(row), gates));
    }
  }
}

void apply_families(std::vector<ResourcePtr>& resources, const ServiceFamilies& served) {
  for (const ResourceRow& row : resource_rows()) {
    if (row.rules != service_rules) continue;
    replace_rules(resources, row, service_rules_for(facts_of(row), served));
  }
}

}  // namespace davit::sandbox
