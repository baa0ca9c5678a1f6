#include "host/cache/cache_report.hpp"

#include <algorithm>

namespace davit::host {
namespace {

/// The number of skipped objects of one cache that are named; more make the page hard to read, and
/// the log has them all.
constexpr std::size_t kNamedMax = 5;

std::string name_of(const CacheState& cache) {
  if (cache.selection.empty()) return cache.resource.text();
  return cache.resource.text() + " (" + cache.selection + ")";
}

std::string stale_text(const CacheState& cache, Time now) {
  using std::chrono::duration_cast;
  using std::chrono::seconds;
  const Freshness& fresh = cache.freshness;
  std::string text = name_of(cache);
  text += fresh.confirmed ? " not current for " : " not filled, failing for ";
  text += std::to_string(duration_cast<seconds>(unconfirmed_time(fresh, now)).count()) + " s: ";
  return text + (fresh.failure.ok() ? "the server sends nothing" : fresh.failure.message());
}

std::string skipped_text(const CacheState& cache) {
  std::string text = name_of(cache) + " lacks, or holds in an older state, " +
                     std::to_string(cache.skipped.size()) + " that cannot be read: ";
  const std::size_t named = std::min(cache.skipped.size(), kNamedMax);
  for (std::size_t i = 0; i < named; ++i) {
    const SkippedObject& each = cache.skipped[i];
    if (i > 0) text += "; ";
    if (each.identity.name.empty()) {
      text += "an object without a readable name";
    } else {
      text += (each.identity.ns.empty() ? "" : each.identity.ns + "/") + each.identity.name;
    }
    text += " (" + each.why + ")";
  }
  if (named < cache.skipped.size()) {
    text += "; " + std::to_string(cache.skipped.size() - named) + " more";
  }
  return text;
}

}  // namespace

std::vector<CacheState> cache_states(const InformerFactory& informers) {
  std::vector<CacheState> states;
  informers.each([&states](const Informer& each, InformerFactory::Life life) {
    if (!each.started()) return;
    // A controller that opens an informer at run time finds out itself whether the server serves
    // it: a definition that is deleted must not make the whole host unready.
    if (life == InformerFactory::Life::kUses && !each.availability().ok()) return;
    const InformerSpec& spec = each.spec();
    std::string selection = spec.label_selector;
    if (!selection.empty() && !spec.field_selector.empty()) selection += ", ";
    selection += spec.field_selector;
    states.push_back({.resource = spec.resource,
                      .selection = std::move(selection),
                      .freshness = each.freshness(),
                      .available = each.has_synced() ? Status() : each.availability(),
                      .skipped = each.store().skipped(),
                      .objects = each.store().size(),
                      .bytes = each.store().object_bytes() + each.store().overhead_bytes()});
  });
  return states;
}

Status check_current(const std::vector<CacheState>& caches, Time now) {
  std::string text;
  for (const CacheState& each : caches) {
    if (!each.freshness.is_stale(now) || each.available.code() == Code::kNotFound) {
      continue;
    }
    text += (text.empty() ? "" : "; ") + stale_text(each, now);
  }
  return text.empty() ? Status() : Status(Code::kUnavailable, std::move(text));
}

std::vector<std::string> cache_notes(const std::vector<CacheState>& caches, Time now) {
  std::vector<std::string> lines;
  for (const CacheState& each : caches) {
    if (each.freshness.is_stale(now)) lines.push_back(stale_text(each, now));
    if (!each.skipped.empty()) lines.push_back(skipped_text(each));
  }
  return lines;
}

Duration unconfirmed_time(const Freshness& freshness, Time now) {
  if (freshness.confirmed) return now - *freshness.confirmed;
  return freshness.failing_since ? now - *freshness.failing_since : Duration(0);
}

}  // namespace davit::host
