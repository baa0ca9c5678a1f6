/// The idle connections of one purpose. Internal to host/transport.
#pragma once

#include <memory>
#include <vector>

#include "host/transport/pooled_connection.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Connections that are open and carry no request. Thread-safe; sockets are never touched under the
/// lock.
class ConnectionPool {
 public:
  using Owned = std::unique_ptr<PooledConnection>;

  ConnectionPool() = default;
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  /// The most recently used connection with this TLS material, so that others age and are closed;
  /// null if there is none.
  [[nodiscard]] Owned take(const std::shared_ptr<const TlsMaterial>& tls, Time now)
      EXCLUDES(mutex_);
  /// Keeps a connection for the next request.
  void put(Owned connection, Time now) EXCLUDES(mutex_);
  /// Closes connections that have been idle for kIdleConnectionMax.
  void close_idle(Time now) EXCLUDES(mutex_);
  /// Gives up all idle connections that were made with other TLS material, now and when they come
  /// back. The caller closes those that this returns, outside its locks.
  [[nodiscard]] std::vector<Owned> keep_only(std::shared_ptr<const TlsMaterial> tls)
      EXCLUDES(mutex_);

 private:
  struct Idle {
    Owned connection;
    Time since;
  };
  /// Takes the ones that are too old off the front.
  [[nodiscard]] std::vector<Idle> take_old(Time now) REQUIRES(mutex_);

  Mutex mutex_;
  std::vector<Idle> idle_ GUARDED_BY(mutex_);                   // The one used last at the back.
  std::shared_ptr<const TlsMaterial> only_ GUARDED_BY(mutex_);  // Null: any.
};

}  // namespace davit::host
