/// Calls to conversion webhooks.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "lib/base/random.hpp"
#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/store/store.hpp"
#include "sandbox/webhook/hook_connector.hpp"

namespace davit::sandbox {

/// Borrowed, each thread-safe.
struct ConversionParts {
  const Store& store;
  Clock& clock;
  Random& random;
  HookConnector& connector;
};

/// Converts `objects`, at least one and of one kind, to `api_version` by the webhook of their
/// definition. Blocks for 30 s at most. Its errors are those of a server that cannot convert: 500.
[[nodiscard]] ApiResult<std::vector<Json>> call_conversion(const ConversionParts& parts,
                                                           const ConversionHook& hook,
                                                           const std::vector<Json>& objects,
                                                           const std::string& api_version,
                                                           const std::stop_token& stop);

}  // namespace davit::sandbox
