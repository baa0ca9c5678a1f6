/// The state side of a controller in the in-memory cluster.
#pragma once

#include <davit/abi.h>

#include <davit/testing/state.hpp>
#include <string_view>

namespace davit::testing::detail {

/// Null when the controller has no state to hand over.
[[nodiscard]] inline const davit_state_v1* state_side(const HostState& host) {
  if (host.controller.capability == nullptr) return nullptr;
  return static_cast<const davit_state_v1*>(
      host.controller.capability(host.controller.self, to_c("davit.state/1")));
}

/// Offers a state to a controller; one without that side takes none.
[[nodiscard]] inline Status read_state(HostState& host, std::uint32_t version,
                                       std::string_view text) {
  const davit_state_v1* const state = state_side(host);
  if (state == nullptr) return {};
  const std::uint32_t oldest = state->oldest == 0 ? state->version : state->oldest;
  if (version < oldest || version > state->version) {
    return Status(Code::kUnsupported, "it does not read this form of state");
  }
  host.error_text.clear();
  const davit_code code = state->read(host.controller.self, version, to_c(text));
  return Status(from_c(code), host.error_text);
}

}  // namespace davit::testing::detail
