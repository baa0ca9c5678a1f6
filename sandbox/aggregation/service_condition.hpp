/// The condition Available of an APIService.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/kube/json.hpp"
#include "sandbox/aggregation/remote_service.hpp"

namespace davit::sandbox {

struct ServiceCondition {
  std::string status;  ///< "True" or "False".
  std::string reason;
  std::string message;
};

/// The condition of an APIService whose server cannot be asked, because its Service or endpoints
/// are missing; nothing: ask the server. k8s: AvailableConditionController.sync of
/// kube-aggregator/pkg/controllers/status/remote.
[[nodiscard]] std::optional<ServiceCondition> unreachable_condition(
    const RegisteredService& service, const Store& store);

/// That of a server that responds.
[[nodiscard]] ServiceCondition passed_condition();
/// That of one that does not, or with an error.
[[nodiscard]] ServiceCondition failed_condition(std::string why);
/// That of an APIService without a Service.
[[nodiscard]] ServiceCondition local_condition();

/// status.conditions of `object` with `condition`; its time is `now` if the status has changed.
/// Nothing: the object has it already.
[[nodiscard]] std::optional<Json> conditions_with(const Json& object,
                                                  const ServiceCondition& condition,
                                                  std::string_view now);

}  // namespace davit::sandbox
