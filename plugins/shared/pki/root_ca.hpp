/// The CA that clients trust the API server by, from a controller's configuration.
#pragma once

#include <davit/object.hpp>
#include <davit/result.hpp>
#include <initializer_list>
#include <string>
#include <string_view>

namespace davit::pki {

inline constexpr std::string_view kRootCaFileOption = "rootCAFile";
inline constexpr std::string_view kRootCaOption = "rootCA";

/// Refuses members that are not among `known`, and those whose value is not a string. kInvalid,
/// with the member's name and what may stand there.
[[nodiscard]] Status check_text_options(Value config,
                                        std::initializer_list<std::string_view> known);

/// The file in whole. kInvalid: it cannot be read.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

/// The certificates that make a client trust the server, in PEM: the content of `rootCAFile`, else
/// `rootCA`; empty if the configuration has neither. kInvalid, with upstream's message, if the file
/// cannot be read or has no certificate; `rootCA` is not looked into.
[[nodiscard]] Result<std::string> read_root_ca(Value config);

}  // namespace davit::pki
