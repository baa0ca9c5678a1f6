/// Answers of the API server, kept for a while; one request for all who ask the same at once.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
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

/// Errors are not kept. The answer that was used longest ago gives way when there are kEntriesMax.
/// Thread-safe; asking never blocks.
template <typename Answer>
class ReviewCache {
 public:
  /// An answer, and how long it counts; zero: for those who wait for it only.
  struct Fetched {
    Answer answer;
    Duration ttl;
  };
  /// Asks the server. On a thread of the RequestThreads, where it may block.
  using Fetch = std::function<Result<Fetched>(std::stop_token)>;
  struct Asked {
    std::shared_ptr<const Review<Answer>> review;
    enum class Source { kCache, kServer } source = Source::kCache;
  };

  /// k8s.io/apiserver/plugin/pkg/authorizer/webhook: the size of its cache.
  static constexpr std::size_t kEntriesMax = 8192;

  /// Both are borrowed. Jobs of `threads` use the cache: they have to end before it does.
  ReviewCache(RequestThreads& threads, Clock& clock) : threads_(threads), clock_(clock) {}

  /// The answer for `key`: the kept one, the one that is being fetched, or a new one. kThrottled:
  /// too many requests wait already.
  [[nodiscard]] Asked ask(const std::string& key, Fetch fetch) EXCLUDES(mutex_) {
    auto review = std::make_shared<Review<Answer>>();
    {
      MutexLock lock(mutex_);
      const auto kept = kept_.find(key);
      if (kept != kept_.end() && clock_.now() < kept->second.until) {
        order_.splice(order_.begin(), order_, kept->second.place);
        return {kept->second.review, Asked::Source::kCache};
      }
      if (const auto flying = flying_.find(key); flying != flying_.end()) {
        return {flying->second, Asked::Source::kServer};
      }
      flying_.emplace(key, review);
    }
    const bool posted =
        threads_.post([this, key, review, fetch = std::move(fetch)](std::stop_token stop) {
          land(key, review, fetch(stop));
        });
    if (!posted) {
      review->set(Status(Code::kThrottled, "too many requests wait for the API server"));
      MutexLock lock(mutex_);
      flying_.erase(key);
    }
    return {review, Asked::Source::kServer};
  }

 private:
  struct Kept {
    std::shared_ptr<const Review<Answer>> review;
    Time until;
    std::list<std::string>::iterator place;
  };

  void land(const std::string& key, const std::shared_ptr<Review<Answer>>& review,
            Result<Fetched> fetched) EXCLUDES(mutex_) {
    const Duration ttl = fetched ? fetched->ttl : Duration::zero();
    if (fetched) {
      review->set(std::move(fetched->answer));
    } else {
      review->set(fetched.error());
    }
    MutexLock lock(mutex_);
    flying_.erase(key);
    if (ttl <= Duration::zero()) return;
    if (const auto old = kept_.find(key); old != kept_.end()) {
      order_.erase(old->second.place);
      kept_.erase(old);
    }
    order_.push_front(key);
    kept_.emplace(key, Kept{review, clock_.now() + ttl, order_.begin()});
    if (kept_.size() <= kEntriesMax) return;
    kept_.erase(order_.back());
    order_.pop_back();
  }

  RequestThreads& threads_;
  Clock& clock_;
  Mutex mutex_;
  std::map<std::string, Kept> kept_ GUARDED_BY(mutex_);
  std::list<std::string> order_ GUARDED_BY(mutex_);  // Keys of kept_, the last used one first.
  std::map<std::string, std::shared_ptr<const Review<Answer>>> flying_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
