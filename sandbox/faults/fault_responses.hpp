/// The responses of a server that fails through no fault of the client's. Pure.
#pragma once

#include <string>

#include "sandbox/faults/fault_rule.hpp"
#include "sandbox/faults/fault_stream.hpp"
#include "sandbox/kinds/api_error.hpp"

namespace davit::sandbox {

/// The Status for a kStatus rule, in a real server's words where it has some for the code.
[[nodiscard]] ApiError fault_status(const FaultRule& rule, const RequestFacts& request_facts);
/// The event that ends a watch with 410. `current`: the store's revision.
[[nodiscard]] std::string gone_event(Revision current, FaultStream::Framing framing);

}  // namespace davit::sandbox
