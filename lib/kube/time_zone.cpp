#include "lib/kube/time_zone.hpp"

#include <date/tz.h>

#include <charconv>
#include <chrono>
#include <davit/kube/go_quote.hpp>
#include <exception>
#include <optional>
#include <string>

namespace davit {
namespace {

std::optional<int> number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int out = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, out);
  return error == std::errc() && last == end ? std::optional(out) : std::nullopt;
}

Status not_a_number(std::string_view text) {
  return {Code::kInvalid, "strconv.Atoi: parsing " + go_quoted(text) + ": invalid syntax"};
}

Result<std::int64_t> fixed_offset(std::string_view zone, std::size_t colon) {
  constexpr int kHoursMax = 10'000;  // Far beyond any zone; keeps the sum within its type.
  const std::optional<int> hours = number(zone.substr(0, colon));
  if (!hours || *hours > kHoursMax || *hours < -kHoursMax)
    return not_a_number(zone.substr(0, colon));
  const std::optional<int> minutes = number(zone.substr(colon + 1));
  if (!minutes) return not_a_number(zone.substr(colon + 1));
  if (*minutes < 0 || *minutes > 59) {
    return Status(Code::kInvalid,
                  "timezone offset minutes out of range [0, 59]: " + std::string(zone));
  }
  return std::int64_t{*hours * 60 + (zone.starts_with('-') ? -*minutes : *minutes)} * 60;
}

/// Null if the database does not have the zone.
const date::time_zone* find_zone(std::string_view name) {
  // Go opens any file of the database. These folders have copies of it.
  for (const std::string_view copy : {"posix/", "right/"}) {
    if (name.starts_with(copy)) name.remove_prefix(copy.size());
  }
  if (name == "posixrules") name = "America/New_York";
  if (name == "Factory") name = "Etc/UTC";
  try {
    return date::locate_zone(std::string(name));
  } catch (const std::exception&) {
    return nullptr;
  }
}

/// Whether it begins as the zones of an area do.
bool has_area(std::string_view name) {
  for (const std::string_view area :
       {"Africa/", "America/", "Antarctica/", "Arctic/", "Asia/", "Atlantic/", "Australia/", "Etc/",
        "Europe/", "Indian/", "Pacific/"}) {
    if (name.starts_with(area)) return true;
  }
  return false;
}

}  // namespace

bool is_time_zone(std::string_view name) {
  if (name == "UTC") return true;
  if (find_zone(name) != nullptr) return true;
  const bool has_database = find_zone("Etc/UTC") != nullptr;
  return !has_database && has_area(name);
}

Result<std::int64_t> zone_offset(std::string_view zone, std::int64_t seconds) {
  if (const std::size_t colon = zone.find(':'); colon != std::string_view::npos)
    return fixed_offset(zone, colon);
  if (zone.empty() || zone == "UTC") return std::int64_t{0};
  const date::time_zone* const found = find_zone(zone);
  if (found == nullptr) return Status(Code::kInvalid, "unknown time zone " + std::string(zone));
  const date::sys_seconds time{std::chrono::seconds(seconds)};
  try {
    return std::int64_t{found->get_info(time).offset.count()};
  } catch (const std::exception& error) {
    return Status(Code::kInvalid, std::string("time zone ").append(zone) + ": " + error.what());
  }
}

}  // namespace davit
