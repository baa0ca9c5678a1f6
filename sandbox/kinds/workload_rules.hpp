/// The rules of pods and of what creates them. Each makes the rules of the kind of its name.
#pragma once

#include <memory>

#include "sandbox/kinds/kind_rules.hpp"

namespace davit::sandbox {

[[nodiscard]] std::shared_ptr<const KindRules> pod_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> pod_template_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> replica_set_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> replication_controller_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> deployment_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> stateful_set_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> daemon_set_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> controller_revision_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> job_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> cron_job_rules(const KindFacts& facts);

}  // namespace davit::sandbox
