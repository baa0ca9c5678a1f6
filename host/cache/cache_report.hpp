/// The report on the caches for operators.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <vector>

#include "host/cache/freshness.hpp"
#include "host/cache/informer_factory.hpp"
#include "host/cache/resource_id.hpp"
#include "host/cache/skipped_objects.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// One informer that was started.
struct CacheState {
  ResourceId resource;
  std::string selection{};  ///< Its selectors, if it has any.
  Freshness freshness{};
  /// Why the server does not let it be followed, before the first content.
  Status available{};
  std::vector<SkippedObject> skipped{};
  std::size_t objects = 0;
  std::size_t bytes = 0;  ///< The objects, and the tables and indexes over them.
};

/// Covers all informers. Any thread.
[[nodiscard]] std::vector<CacheState> cache_states(const InformerFactory& informers);

/// kUnavailable while a cache is stale; names each with the time and the reason. One that the
/// server has never served does not count: its controllers wait, and the others work.
[[nodiscard]] Status check_current(const std::vector<CacheState>& caches, Time now);

/// A line for each stale cache, and for the skipped objects of each cache.
[[nodiscard]] std::vector<std::string> cache_notes(const std::vector<CacheState>& caches, Time now);

/// The time since the content was known to be current; since the first failure without a content.
[[nodiscard]] Duration unconfirmed_time(const Freshness& freshness, Time now);

}  // namespace davit::host
