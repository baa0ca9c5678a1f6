#include "bench/compare/options.hpp"

#include <algorithm>
#include <charconv>
#include <davit/kube/duration.hpp>

namespace davit::bench {
namespace {

struct Number {
  std::string_view name;
  int Options::*member;
  int most;
};

constexpr Number kNumbers[] = {
    {"--repeat", &Options::repeat, 100},
    {"--pods", &Options::pods, 1000000},
    {"--nodes", &Options::nodes, 100000},
    {"--deployments", &Options::deployments, 100000},
    {"--replicas", &Options::replicas, 100000},
    {"--services", &Options::services, 5000},
    {"--backends", &Options::backends, 1000},
    {"--watched-nodes", &Options::watched_nodes, 100000},
    {"--qps", &Options::qps, 1000000},
};

std::string known_rounds() {
  std::string out;
  for (const std::string_view round : kRounds) {
    out += (out.empty() ? "" : ", ") + std::string(round);
  }
  return out;
}

Status read_rounds(std::string_view list, Options& options) {
  options.rounds.clear();
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view round = list.substr(0, comma);
    if (std::find(std::begin(kRounds), std::end(kRounds), round) == std::end(kRounds)) {
      return {Code::kInvalid, "--rounds: there is no round \"" + std::string(round) +
                                  "\"; give a list with commas of " + known_rounds()};
    }
    options.rounds.emplace(round);
    if (comma == std::string_view::npos) return {};
    list.remove_prefix(comma + 1);
  }
}

Status read_number(const Number& number, std::string_view text, Options& options) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || value < 1 || value > number.most) {
    return {Code::kInvalid, std::string(number.name) + " must be a number from 1 to " +
                                std::to_string(number.most) + ", not \"" + std::string(text) +
                                "\""};
  }
  options.*number.member = value;
  return {};
}

Status read_flag(std::string_view name, std::string_view value, Options& options) {
  if (name == "--rounds") return read_rounds(value, options);
  if (name == "--chart") {
    if (value.empty()) return {Code::kInvalid, "--chart needs a file name"};
    options.chart = value;
    return {};
  }
  if (name == "--write-window") {
    if (!parse_duration(value)) {
      return {Code::kInvalid, "--write-window must be a duration such as 100ms, not \"" +
                                  std::string(value) + "\""};
    }
    options.write_window = value;
    return {};
  }
  for (const Number& number : kNumbers) {
    if (name == number.name) return read_number(number, value, options);
  }
  std::string known = "--rounds, --chart, --write-window";
  for (const Number& number : kNumbers) known += ", " + std::string(number.name);
  return {Code::kInvalid, "unknown flag " + std::string(name) + "; the flags are " + known};
}

}  // namespace

Result<Options> parse_options(std::span<const std::string_view> arguments) {
  Options options;
  for (const std::string_view argument : arguments) {
    const std::size_t equals = argument.find('=');
    const bool has_value = equals != std::string_view::npos;
    const Status read =
        has_value ? read_flag(argument.substr(0, equals), argument.substr(equals + 1), options)
                  : Status(Code::kInvalid, "write " + std::string(argument) + " as --name=value");
    if (!read.ok()) return read;
  }
  return options;
}

}  // namespace davit::bench
