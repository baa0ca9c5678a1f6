/// The command lines of the benches: flags of the form --name=value.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <span>
#include <string_view>

namespace davit::bench {

/// A flag whose value is a number from 1 to `most`.
struct NumberFlag {
  std::string_view name;
  int* value;
  int most;
};

/// A flag whose value `read` checks and takes.
struct TextFlag {
  std::string_view name;
  std::function<Status(std::string_view value)> read;
};

/// Reads all `arguments`, the program's name left out, into the flags. kInvalid names the argument
/// and what it may be.
[[nodiscard]] Status read_flags(std::span<const std::string_view> arguments,
                                std::span<const NumberFlag> numbers,
                                std::span<const TextFlag> texts = {});

}  // namespace davit::bench
