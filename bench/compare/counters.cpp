#include "bench/compare/counters.hpp"

#include <charconv>
#include <cstdlib>
#include <numeric>

namespace davit::bench {
namespace {

/// Calls `take` with each line, without its end.
template <typename Take>
void each_line(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    take(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

/// The value of a label of a sample, "" without one. The labels read here contain no quotes.
std::string_view label(std::string_view sample, std::string_view name) {
  for (std::size_t at = sample.find(name); at != std::string_view::npos;
       at = sample.find(name, at + 1)) {
    const bool is_begin = at > 0 && (sample[at - 1] == '{' || sample[at - 1] == ',');
    const std::string_view rest = sample.substr(at + name.size());
    if (is_begin && rest.starts_with("=\"")) return rest.substr(2, rest.find('"', 2) - 2);
  }
  return {};
}

/// Whether a line is a sample of the metric: name, then labels or the value.
bool is_sample(std::string_view line, std::string_view metric) {
  return line.starts_with(metric) && line.size() > metric.size() &&
         (line[metric.size()] == '{' || line[metric.size()] == ' ');
}

double value_of(std::string_view sample) {
  const std::size_t labels_end = sample.rfind('}');
  const std::size_t space = sample.find(' ', labels_end == std::string_view::npos ? 0 : labels_end);
  if (space == std::string_view::npos) return 0;
  return std::strtod(std::string(sample.substr(space + 1)).c_str(), nullptr);
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

}  // namespace

RequestCounts parse_requests(std::string_view metrics) {
  RequestCounts out;
  each_line(metrics, [&out](std::string_view line) {
    if (!is_sample(line, "apiserver_request_total")) return;
    const std::string_view verb = label(line, "verb");
    const std::string_view resource = label(line, "resource");
    const std::string_view subresource = label(line, "subresource");
    if (resource.empty() || verb == "WATCH") return;
    std::string name = std::string(verb) + " " + std::string(resource);
    if (!subresource.empty()) name += "/" + std::string(subresource);
    out[name] += value_of(line);
  });
  return out;
}

RequestCounts difference(const RequestCounts& after, const RequestCounts& before) {
  RequestCounts out;
  for (const auto& [name, count] : after) {
    const auto earlier = before.find(name);
    const double more = count - (earlier == before.end() ? 0 : earlier->second);
    if (more != 0) out[name] = more;
  }
  return out;
}

double total(const RequestCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0,
                         [](double sum, const auto& each) { return sum + each.second; });
}

double sum_of_metric(std::string_view metrics, std::string_view name) {
  double sum = 0;
  each_line(metrics, [&](std::string_view line) {
    if (is_sample(line, name)) sum += value_of(line);
  });
  return sum;
}

std::uint64_t parse_switches(std::string_view status) {
  std::uint64_t sum = 0;
  each_line(status, [&sum](std::string_view line) {
    const std::size_t colon = line.find(":\t");
    if (colon == std::string_view::npos || !line.substr(0, colon).ends_with("_ctxt_switches")) {
      return;
    }
    sum += number(line.substr(colon + 2)).value_or(0);
  });
  return sum;
}

std::optional<std::uint64_t> parse_perf_stat(std::string_view output, std::string_view event) {
  std::optional<std::uint64_t> found;
  each_line(output, [&](std::string_view line) {
    // Count, unit, event, …
    const std::size_t unit = line.find(',');
    const std::size_t name = line.find(',', unit + 1);
    if (unit == std::string_view::npos || name == std::string_view::npos) return;
    const std::string_view rest = line.substr(name + 1);
    if (rest.substr(0, rest.find(',')) == event) found = number(line.substr(0, unit));
  });
  return found;
}

}  // namespace davit::bench
