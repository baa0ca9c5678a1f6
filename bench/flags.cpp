#include "bench/flags.hpp"

#include <charconv>
#include <string>

namespace davit::bench {
namespace {

Status read_number(const NumberFlag& number, std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || value < 1 || value > number.most) {
    return {Code::kInvalid, std::string(number.name) + " must be a number from 1 to " +
                                std::to_string(number.most) + ", not \"" + std::string(text) +
                                "\""};
  }
  *number.value = value;
  return {};
}

Status read_flag(std::string_view name, std::string_view value, std::span<const NumberFlag> numbers,
                 std::span<const TextFlag> texts) {
  std::string known;
  const auto is_it = [&](std::string_view flag) {
    known += (known.empty() ? "" : ", ") + std::string(flag);
    return flag == name;
  };
  for (const TextFlag& each : texts) {
    if (is_it(each.name)) return each.read(value);
  }
  for (const NumberFlag& each : numbers) {
    if (is_it(each.name)) return read_number(each, value);
  }
  return {Code::kInvalid, "unknown flag " + std::string(name) + "; the flags are " + known};
}

}  // namespace

Status read_flags(std::span<const std::string_view> arguments, std::span<const NumberFlag> numbers,
                  std::span<const TextFlag> texts) {
  for (const std::string_view argument : arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string_view::npos) {
      return {Code::kInvalid, "write " + std::string(argument) + " as --name=value"};
    }
    const Status read =
        read_flag(argument.substr(0, equals), argument.substr(equals + 1), numbers, texts);
    if (!read.ok()) return read;
  }
  return {};
}

}  // namespace davit::bench
