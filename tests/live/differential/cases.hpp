/// Objects that an API server accepts or refuses, as pages of cases/*.yaml (README.md there).
#pragma once

#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "tests/live/differential/operations.hpp"
#include "tests/support/api_checks/api_checks.hpp"

namespace davit::live {

/// One object: a dry run, so each stands alone.
struct Case {
  Operation operation;
  int line = 0;         ///< In the page.
  std::string differs;  ///< Why the sandbox does not answer as the original; empty: it does.
};

/// The requests of a page.
struct CasePage {
  std::vector<Operation> setup;  ///< Create the objects that updates are about.
  std::vector<Case> cases;
};

/// Ends the test program with the place when the page cannot be read.
[[nodiscard]] CasePage read_cases(const std::string& file);

/// A page of YAML as JSON. Ends the test program with the place when it cannot be read.
[[nodiscard]] Json read_page(const std::string& file);

/// Whether the body of a refusal loses its texts.
enum class Refusals { kWithoutTexts, kWhole };
/// The server's answer to the operation of a user, as two servers must agree on it: `comparable`
/// and the warnings.
[[nodiscard]] std::string answer_of(checks::Server& server, const Operation& operation,
                                    Refusals refusals = Refusals::kWithoutTexts,
                                    const std::string& token = "admin-token");

}  // namespace davit::live
