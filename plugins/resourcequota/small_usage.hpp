/// The usage of one Service and of one PersistentVolumeClaim. Pure;
/// kubernetes:pkg/quota/v1/evaluator/core.
#pragma once

#include <davit/kube/metadata.hpp>
#include <string_view>

#include "plugins/resourcequota/amount.hpp"

namespace davit::resourcequota {

/// Everything that a Service counts for. Rule: docs/spec/resourcequota.md, section 9.1.
[[nodiscard]] Amounts service_usage(const ObjectView& service);
[[nodiscard]] bool is_service_name(std::string_view name);

/// Everything that a claim counts for. Rule: docs/spec/resourcequota.md, section 9.2.
[[nodiscard]] Amounts volume_claim_usage(const ObjectView& claim);
[[nodiscard]] bool is_volume_claim_name(std::string_view name);

}  // namespace davit::resourcequota
