#include "plugins/serviceaccount/cleanup_plan.hpp"

#include <chrono>
#include <davit/json_writer.hpp>
#include <davit/kube/time.hpp>
#include <utility>

namespace davit::serviceaccount {
namespace {

constexpr std::size_t kDaySize = 10;  // "2024-05-01"

/// Unused tokens that were not created by hand.
bool is_unused(const TokenSecret& secret, const std::optional<ServiceAccount>& account,
               WallTime bound) {
  if (secret.creation_time().value_or(kTimeMin) >= bound || secret.is_being_deleted()) return false;
  if (const std::optional<std::string_view> used = secret.label(kLastUsedLabel)) {
    if (!parse_day(*used) || *used >= day_text(bound)) return false;
  }
  return account && secret.belongs_to(account->name(), account->uid()) &&
         account->names_secret(secret.name());
}

}  // namespace

std::string day_text(WallTime time) { return format_time(time).substr(0, kDaySize); }

std::optional<WallTime> parse_day(std::string_view text) {
  if (text.size() != kDaySize) return std::nullopt;
  const std::optional<WallTime> time = parse_time(std::string(text) + "T00:00:00Z");
  return time && day_text(*time) == text ? time : std::nullopt;
}

bool is_tracked_long_enough(WallTime since, WallTime now, Duration period) {
  return now - (since + std::chrono::days(1)) >= period;
}

TokenFate fate_of(const TokenSecret& secret, const std::optional<ServiceAccount>& account,
                  WallTime now, Duration period) {
  const WallTime bound = now - period;
  if (!is_unused(secret, account, bound)) return TokenFate::kKept;
  const std::string_view since = secret.label(kInvalidSinceLabel).value_or(std::string_view());
  if (!parse_day(since)) return TokenFate::kMarked;
  return since >= day_text(bound) ? TokenFate::kKept : TokenFate::kDeleted;
}

std::string mark_patch(const TokenSecret& secret, WallTime now) {
  JsonWriter out;
  out.begin_object().member("kind", "Secret").member("apiVersion", "v1");
  out.key("metadata").begin_object();
  out.member("name", secret.name()).member("namespace", secret.ns()).member("uid", secret.uid());
  out.key("labels").begin_object().member(kInvalidSinceLabel, day_text(now));
  out.end_object().end_object().end_object();
  return std::move(out).text();
}

}  // namespace davit::serviceaccount
