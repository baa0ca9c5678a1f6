/// The parser behind Pattern.
#pragma once

#include <davit/result.hpp>
#include <string_view>
#include <vector>

#include "sandbox/crd/pattern.hpp"

namespace davit::sandbox {

/// The program of an expression; targets are relative to the step that has them, the last step is
/// Op::kMatch. kInvalid for what RE2 refuses.
[[nodiscard]] Result<std::vector<Pattern::Step>> compile_steps(std::string_view expression);

}  // namespace davit::sandbox
