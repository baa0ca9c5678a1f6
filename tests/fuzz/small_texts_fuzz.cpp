/// The small languages inside objects and headers: any text is refused or means something, in time
/// that its length bounds; what is brought into a canonical form stays as it is there.
#include <cstddef>
#include <cstdint>
#include <davit/kube/signed_duration.hpp>
#include <davit/kube/time.hpp>
#include <string>
#include <string_view>

#include "lib/base/assert.hpp"
#include "lib/kube/schema/canonical_quantity.hpp"
#include "lib/kube/time_zone.hpp"
#include "lib/kube/validation/formats.hpp"
#include "lib/kube/validation/pattern.hpp"
#include "lib/net/accept.hpp"
#include "plugins/cronjob/schedule.hpp"
#include "sandbox/crd/json_path.hpp"

namespace {
using namespace davit;
using namespace davit::sandbox;

constexpr std::string_view kFormats[] = {"date-time", "date", "duration", "email",       "hostname",
                                         "ipv4",      "ipv6", "cidr",     "uri",         "uuid",
                                         "byte",      "mac",  "isbn",     "bsonobjectid"};

void check_quantity(std::string_view text, Precision precision) {
  const davit::Result<std::string> once = canonical_quantity(text, precision);
  if (!once) return;
  const davit::Result<std::string> again = canonical_quantity(*once, precision);
  DAVIT_ASSERT(again.has_value() && *again == *once);
}

void check_times(std::string_view text) {
  if (const davit::Result<WireTime> time = parse_wire_time(text)) {
    const std::string written = time_text(*time);
    const davit::Result<WireTime> again = parse_wire_time(written);
    DAVIT_ASSERT(again.has_value() && time_text(*again) == written);
  }
  if (const davit::Result<WireTime> time = parse_wire_micro_time(text)) {
    const std::string written = micro_time_text(*time);
    const davit::Result<WireTime> again = parse_wire_micro_time(written);
    DAVIT_ASSERT(again.has_value() && micro_time_text(*again) == written);
  }
}

void check_duration(std::string_view text) {
  static_cast<void>(davit::parse_signed_duration(text));
  const auto duration = davit::parse_signed_duration(text);
  if (!duration) return;
  DAVIT_ASSERT(davit::parse_signed_duration(davit::format_duration(*duration)) == duration);
}

void check_schedule(std::string_view text) {
  constexpr schedule::Instant kNow{std::chrono::sys_days(std::chrono::year(2025) / 3 / 8)};
  const davit::Result<schedule::Schedule> parsed = schedule::Schedule::parse(text, {});
  if (!parsed) return;
  const std::optional<schedule::Instant> next = parsed->next(kNow);
  DAVIT_ASSERT(!next || *next > kNow);
}

void check_path(std::string_view text) {
  static const Json kObject = json_literal(
      R"({"a":{"b":[{"type":"Ready","a.b":1},{"type":"x"},[1,2,3]]},"metadata":{"name":"n"}})");
  const davit::Result<JsonPath> path = JsonPath::parse(text);
  if (!path) return;
  for (const Json* each : path->find(kObject)) static_cast<void>(printed(*each));
}

void check_pattern(std::string_view text) {
  const std::size_t line = text.find('\n');
  const davit::Result<Pattern> pattern = Pattern::compile(text.substr(0, line));
  if (!pattern || line == std::string_view::npos) return;
  static_cast<void>(pattern->matches(text.substr(line + 1)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_quantity(text, Precision::kNano);
  check_quantity(text, Precision::kMilli);
  check_times(text);
  check_duration(text);
  check_path(text);
  check_schedule(text);
  check_pattern(text);
  for (const std::string_view format : kFormats) static_cast<void>(has_format(format, text));
  static_cast<void>(is_time_zone(text));
  for (const AcceptEntry& each : parse_accept(text)) DAVIT_ASSERT(each.quality > 0);
  return 0;
}
