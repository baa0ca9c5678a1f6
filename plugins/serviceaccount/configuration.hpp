/// The configuration of the controllers.
#pragma once

#include <davit/object.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <string_view>

#include "plugins/shared/pki/root_ca.hpp"

namespace davit::serviceaccount {

using pki::check_text_options;
using pki::kRootCaFileOption;
using pki::kRootCaOption;
using pki::read_file;
using pki::read_root_ca;

inline constexpr std::string_view kKeyFileOption = "serviceAccountKeyFile";
inline constexpr std::string_view kPeriodOption = "cleanUpPeriod";

/// The time without use after which a token is marked, and after that deleted; a year unless
/// `cleanUpPeriod` says otherwise. kInvalid: it is not a positive duration.
[[nodiscard]] Result<Duration> read_cleanup_period(Value config);

}  // namespace davit::serviceaccount
