/// The metrics of the cache (upstream's informer_* series and our own).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "host/cache/resource_id.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// Why a list was made again although its watch had not asked for it.
enum class RelistReason {
  kStaleCache,    ///< A controller's own write did not show up in time (see WriteTracker).
  kVerification,  ///< A list shows whether the content is the server's (Informer::verify()).
  kWentBack,      ///< The server's versions are below those that were seen.
};
/// The value of the label `reason`.
[[nodiscard]] constexpr std::string_view label_of(RelistReason reason) {
  switch (reason) {
    case RelistReason::kStaleCache:
      return "stale_cache";
    case RelistReason::kVerification:
      return "verification";
    case RelistReason::kWentBack:
      break;
  }
  return "versions_went_back";
}

/// The metrics of one informer. Calls come from the informer's thread, and some from others; they
/// must not block. The default does nothing.
class InformerMetrics {
 public:
  InformerMetrics() = default;
  InformerMetrics(const InformerMetrics&) = delete;
  InformerMetrics& operator=(const InformerMetrics&) = delete;
  virtual ~InformerMetrics() = default;

  /// informer_queued_items: changes read and not yet in the store. Here at most the one that is
  /// being applied.
  virtual void queued([[maybe_unused]] std::size_t items) {}
  /// informer_processing_latency_seconds: one change, or one whole list, into the store and to all
  /// delta queues.
  virtual void processed([[maybe_unused]] Duration time) {}
  /// informer_store_resource_version, with its last 15 digits.
  virtual void store_version([[maybe_unused]] std::uint64_t version) {}
  /// The cache holds so many objects.
  virtual void objects([[maybe_unused]] std::size_t count) {}
  /// A list has filled or replaced the content.
  virtual void listed() {}
  /// A watch was cut because nothing came through it any more.
  virtual void stalled_watch() {}
  /// The resource is read as JSON from now on, because protobuf cannot be read.
  virtual void fell_back_to_json() {}
  /// A version of an object cannot be read (see label_of()). Once each.
  virtual void skipped([[maybe_unused]] std::string_view reason) {}
  /// Reports how many objects of the server are missing in the cache, or are there in an older
  /// state only.
  virtual void skipped_now([[maybe_unused]] std::size_t count) {}
  virtual void relist_requested([[maybe_unused]] RelistReason reason) {}
};

/// Makes them. The default makes ones that do nothing. Thread-safe.
class CacheMetrics {
 public:
  CacheMetrics() = default;
  CacheMetrics(const CacheMetrics&) = delete;
  CacheMetrics& operator=(const CacheMetrics&) = delete;
  virtual ~CacheMetrics() = default;

  virtual std::unique_ptr<InformerMetrics> informer([[maybe_unused]] const ResourceId& resource) {
    return std::make_unique<InformerMetrics>();
  }
};

}  // namespace davit::host
