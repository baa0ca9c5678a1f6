/// Answers of the API server, kept for a while; one request for all who ask the same at once.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "host/serving/request_threads.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// An answer that is there or will be. Shared by all who asked for it. Thread-safe.
template <typename Answer>
class Review {
 public:
  /// Nothing until it is there.
  [[nodiscard]] std::optional<Result<Answer>> result() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return result_;
  }
  void set(Result<Answer> result) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    result_ = std::move(result);
  }

 private:
  mutable Mutex mutex_;
  std::optional<Result<Answer>> result_ GUARDED_BY(mutex_);
};

/// Errors are not kept, nor are answers that have expired. The answer that was used longest ago
/// gives way beyond kEntriesMax or kBytesMax: anonymous clients choose the keys.
/// Thread-safe; asking never blocks.
template <typename Answer>
class ReviewCache {
 public:
  /// An answer, and how long it counts; zero: for those who wait for it only.
  struct Fetched {
    Answer answer;
    Duration ttl;
    std::size_t bytes = 0;  ///< Text in the answer.
  };
  /// Asks the server. On a thread of the RequestThreads, where it may block.
  using Fetch = std::function<Result<Fetched>(std::stop_token)>;
  struct Asked {
    std::shared_ptr<const Review<Answer>> review;
    enum class Source { kCache, kServer } source = Source::kCache;
  };

  /// k8s.io/apiserver/plugin/pkg/authorizer/webhook: the size of its cache.
  static constexpr std::size_t kEntriesMax = 8192;
  /// Thousands of questions of usual length. All that a cache may hold, by its own account.
  static constexpr std::size_t kBytesMax = std::size_t{1} << 20U;
  /// An entry's share of list and index, beside its texts.
  static constexpr std::size_t kEntryBytes = 256;

  /// Both are borrowed. Jobs of `threads` use the cache: they have to end before it does.
  ReviewCache(RequestThreads& threads, Clock& clock) : threads_(threads), clock_(clock) {}

  /// The answer for `key`: the kept one, the one that is being fetched, or a new one, which waits
  /// in `line`. kThrottled: too many requests wait already.
  [[nodiscard]] Asked ask(const std::string& key, RequestThreads::Line line, Fetch fetch)
      EXCLUDES(mutex_) {
    auto review = std::make_shared<Review<Answer>>();
    {
      MutexLock lock(mutex_);
      const auto found = index_.find(key);
      if (found != index_.end() && clock_.now() < found->second->until) {
        kept_.splice(kept_.begin(), kept_, found->second);
        return {found->second->review, Asked::Source::kCache};
      }
      if (const auto flying = flying_.find(key); flying != flying_.end()) {
        return {flying->second, Asked::Source::kServer};
      }
      flying_.emplace(key, review);
    }
    const bool posted = threads_.post([this, key, review, fetch = std::move(fetch)](
                                          std::stop_token stop) { land(key, review, fetch(stop)); },
                                      line);
    if (!posted) {
      review->set(Status(Code::kThrottled, "too many requests wait for the API server"));
      MutexLock lock(mutex_);
      flying_.erase(key);
    }
    return {review, Asked::Source::kServer};
  }

  /// Held by the answers that are kept: at most kBytesMax.
  [[nodiscard]] std::size_t bytes() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return bytes_;
  }

 private:
  struct Kept {
    std::string key;
    std::shared_ptr<const Review<Answer>> review;
    Time until;
    std::size_t bytes;
  };
  using Place = typename std::list<Kept>::iterator;

  /// Between two looks for expired answers.
  static constexpr Duration kSweepPeriod = std::chrono::seconds(10);

  void land(const std::string& key, const std::shared_ptr<Review<Answer>>& review,
            Result<Fetched> fetched) EXCLUDES(mutex_) {
    const Duration ttl = fetched ? fetched->ttl : Duration::zero();
    const std::size_t bytes = kEntryBytes + key.size() + (fetched ? fetched->bytes : 0);
    if (fetched) {
      review->set(std::move(fetched->answer));
    } else {
      review->set(fetched.error());
    }
    MutexLock lock(mutex_);
    flying_.erase(key);
    const Time now = clock_.now();
    drop_expired(now);
    if (ttl <= Duration::zero()) return;
    if (const auto old = index_.find(key); old != index_.end()) drop(old->second);
    kept_.push_front({key, review, now + ttl, bytes});
    index_.emplace(kept_.front().key, kept_.begin());
    bytes_ += bytes;
    while (kept_.size() > kEntriesMax || bytes_ > kBytesMax) drop(std::prev(kept_.end()));
  }

  void drop_expired(Time now) REQUIRES(mutex_) {
    if (now < sweep_due_) return;
    sweep_due_ = now + kSweepPeriod;
    for (Place at = kept_.begin(); at != kept_.end();) {
      const Place each = at++;
      if (each->until <= now) drop(each);
    }
  }

  void drop(Place place) REQUIRES(mutex_) {
    bytes_ -= place->bytes;
    index_.erase(place->key);
    kept_.erase(place);
  }

  RequestThreads& threads_;
  Clock& clock_;
  mutable Mutex mutex_;
  std::list<Kept> kept_ GUARDED_BY(mutex_);                     // The last used one first.
  std::map<std::string_view, Place> index_ GUARDED_BY(mutex_);  // Views the keys in kept_.
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
  Time sweep_due_ GUARDED_BY(mutex_) = Time{};
  std::map<std::string, std::shared_ptr<const Review<Answer>>> flying_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
