/// The member of a controller's configuration that stands for its feature gate.
#pragma once

#include <davit/object.hpp>
#include <davit/result.hpp>
#include <string>
#include <string_view>

namespace davit::gates {

/// Whether the member `name` is "on"; `fallback` without it. kInvalid: it is neither "on" nor
/// "off".
[[nodiscard]] inline Result<bool> read_switch(Value config, std::string_view name,
                                              bool fallback = false) {
  const Value value = config[name];
  if (value.is_absent()) return fallback;
  if (value.string() == "off") return false;
  if (value.string() == "on") return true;
  return Status(Code::kInvalid, std::string(name) + " must be \"on\" or \"off\"");
}

}  // namespace davit::gates
