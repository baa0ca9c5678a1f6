/// The requests that the event sink makes.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "host/events/event.hpp"

namespace davit::host {

class RestClient;

/// Called on the sink thread only; may block.
class EventApi {
 public:
  EventApi() = default;
  EventApi(const EventApi&) = delete;
  EventApi& operator=(const EventApi&) = delete;
  virtual ~EventApi() = default;

  /// A failure with ApiDetail is the server's response and final; kMisuse says that the request
  /// could not be made; everything else is worth another try.
  virtual Status create(const Event& event, std::stop_token stop) = 0;
  virtual Status patch(const Event& event, std::stop_token stop) = 0;

  /// Creates several, in any order; the responses are in the order of `events`.
  virtual std::vector<Status> create_all(std::span<const Event> events, std::stop_token stop) = 0;
};

/// Events through an API client, which should be used only for Events (rate limit, user agent).
class RestEventApi final : public EventApi {
 public:
  /// `client` must outlive this.
  explicit RestEventApi(RestClient& client);
  /// The client becomes its own.
  explicit RestEventApi(std::unique_ptr<RestClient> client);
  ~RestEventApi() override;

  Status create(const Event& event, std::stop_token stop) override;
  Status patch(const Event& event, std::stop_token stop) override;
  std::vector<Status> create_all(std::span<const Event> events, std::stop_token stop) override;

 private:
  const std::unique_ptr<RestClient> own_;
  RestClient& client_;
};

}  // namespace davit::host
