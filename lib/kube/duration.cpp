#include "lib/kube/duration.hpp"

#include <davit/kube/duration.hpp>
#include <davit/kube/duration_text.hpp>

namespace davit {

std::optional<Duration> parse_signed_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::optional<Duration> value = parse_duration(text);
  if (value && negative) value = -*value;
  return value;
}

std::string format_duration(Duration value) { return duration_text(value); }

}  // namespace davit
