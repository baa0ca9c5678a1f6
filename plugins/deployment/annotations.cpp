#include "plugins/deployment/annotations.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace davit::deployment {
namespace {

constexpr std::array kOwnAnnotations = {kLastApplied,     kRevision,    kRevisionHistory,
                                        kDesiredReplicas, kMaxReplicas, kRollbackTo};

constexpr std::size_t kHistoryBytesMax = 2000;

template <typename Number>
std::optional<Number> parse(std::string_view text) {
  // A leading plus sign is valid, as upstream; std::from_chars accepts only the minus.
  if constexpr (std::numeric_limits<Number>::is_signed) {
    if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  }
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

bool is_shared_annotation(std::string_view key) {
  return std::find(kOwnAnnotations.begin(), kOwnAnnotations.end(), key) == kOwnAnnotations.end();
}

std::optional<std::int64_t> parse_revision(std::string_view text) {
  if (text.empty()) return 0;
  return parse<std::int64_t>(text);
}

std::optional<std::int64_t> parse_replicas(std::string_view text) {
  constexpr std::uint32_t kReplicasMax = std::numeric_limits<std::int32_t>::max();
  const std::optional<std::uint32_t> number = parse<std::uint32_t>(text);
  if (!number || *number > kReplicasMax) return std::nullopt;
  return *number;
}

std::optional<std::int64_t> parse_rollback(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return parse<std::int64_t>(text);
}

std::string append_to_history(std::string_view history, std::string_view revision) {
  if (history.empty()) return std::string(revision);
  std::size_t total = history.size() + 1 + revision.size();
  std::string_view kept = history;
  while (total > kHistoryBytesMax && !kept.empty()) {
    const std::size_t entry = std::min(kept.find(','), kept.size());
    total -= std::min(entry + 1, total);
    kept.remove_prefix(std::min(entry + 1, kept.size()));
  }
  if (total > kHistoryBytesMax) return std::string(history);
  std::string text(kept);
  if (!text.empty()) text += ',';
  return text.append(revision);
}

}  // namespace davit::deployment
