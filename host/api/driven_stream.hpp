/// A list or watch that a loop drives among others.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <optional>

#include "lib/base/clock.hpp"
#include "lib/net/request_loop.hpp"

namespace davit::host {

/// A place in the loop of a thread that drives several streams. The loop outlives it.
struct LoopPlace {
  RequestLoop& loop;
  std::size_t index;

  /// Reports that the stream at this place is to proceed. Any thread.
  void post() const { loop.post(index); }
};

/// A response that is read as it arrives, without waiting. Belongs to the thread of its loop, which
/// also destroys it; that ends the request.
class DrivenStream {
 public:
  DrivenStream() = default;
  DrivenStream(const DrivenStream&) = delete;
  DrivenStream& operator=(const DrivenStream&) = delete;
  virtual ~DrivenStream() = default;

  /// Goes as far as possible without waiting. Returns the result once the stream is over; nothing:
  /// call it again when its place is posted, or at due(). Reads a few pieces at a time, so that a
  /// long response does not delay the other streams of the loop.
  [[nodiscard]] virtual std::optional<Status> proceed() = 0;
  /// proceed() has to be called then at the latest.
  [[nodiscard]] virtual Time due() const = 0;

  /// Whether it waits for prepared(), because its transport is not ready: Transport::prepare() has
  /// to be called on a thread that may wait.
  [[nodiscard]] virtual bool must_prepare() const = 0;
  /// The result of that; followed by proceed(). Ignored unless must_prepare().
  virtual void prepared(const Status& status) = 0;
};

}  // namespace davit::host
