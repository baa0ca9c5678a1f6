#include "plugins/ttl/ttl_plan.hpp"

#include <array>
#include <charconv>
#include <davit/json_writer.hpp>
#include <limits>
#include <utility>

namespace davit::ttl {
namespace {

struct Step {
  std::size_t nodes_min;
  std::size_t nodes_max;
  std::int64_t ttl_seconds;
};

/// ttlBoundaries in pkg/controller/ttl/ttl_controller.go.
constexpr std::array<Step, kStepCount> kSteps = {{
    {0, 100, 0},
    {90, 500, 15},
    {450, 1000, 30},
    {900, 2000, 60},
    {1800, std::numeric_limits<std::size_t>::max(), 300},
}};

}  // namespace

std::size_t next_step(std::size_t step, std::size_t nodes) {
  while (nodes > kSteps[step].nodes_max) ++step;  // The last step has no end.
  while (nodes < kSteps[step].nodes_min) --step;  // The first one begins at 0.
  return step;
}

std::int64_t ttl_of(std::size_t step) { return kSteps[step].ttl_seconds; }

bool is_number(std::optional<std::string_view> text, std::int64_t number) {
  if (!text) return false;
  std::string_view digits = *text;
  // std::from_chars takes a minus only.
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  std::int64_t found = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), found);
  return error == std::errc() && end == digits.data() + digits.size() && found == number;
}

std::string ttl_patch(std::int64_t ttl) {
  JsonWriter body;
  body.begin_object().key("metadata").begin_object().key("annotations").begin_object();
  body.member(kTtlAnnotation, std::to_string(ttl));
  body.end_object().end_object().end_object();
  return std::move(body).text();
}

}  // namespace davit::ttl
