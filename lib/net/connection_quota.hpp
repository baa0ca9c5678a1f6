/// Limits the connections that a client uses at once. Internal to host/api.
#pragma once

#include <cstddef>
#include <deque>

#include "lib/base/mutex.hpp"

namespace davit {

class RequestLoop;

/// A client's share of connections, so that a client whose requests hang does not delay others.
/// Requests that find it used up wait in the order in which they came. Thread-safe.
class ConnectionQuota {
 public:
  /// client-go's limit of idle connections for a host.
  static constexpr std::size_t kDefault = 25;

  /// Allows so many connections at once; not 0.
  explicit ConnectionQuota(std::size_t connections = kDefault) : free_(connections) {}
  ConnectionQuota(const ConnectionQuota&) = delete;
  ConnectionQuota& operator=(const ConnectionQuota&) = delete;

  /// The right to use one connection, or a place in the line for it. The loop must outlive it, and
  /// the quota too.
  class Share {
   public:
    /// Takes a connection that is free, or the last place in the line. Does not block.
    Share(ConnectionQuota& quota, RequestLoop& loop);
    /// Gives it back, or leaves the line.
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// Whether a connection may be used. When that changes, the loop is rung.
    [[nodiscard]] bool granted() const;

   private:
    friend class ConnectionQuota;
    ConnectionQuota& quota_;
    RequestLoop& loop_;
    bool granted_ = false;  // Under the quota's mutex.
  };

 private:
  mutable Mutex mutex_;
  std::size_t free_ GUARDED_BY(mutex_);
  std::deque<Share*> line_ GUARDED_BY(mutex_);
};

}  // namespace davit
