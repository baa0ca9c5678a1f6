/// The requests of leader election.
#pragma once

#include <davit/result.hpp>
#include <stop_token>
#include <string>

#include "lib/base/clock.hpp"

namespace davit::host {

class RestClient;

/// The Lease by which hosts elect one of them. Called on the elector's thread only; may block for
/// up to `timeout`.
class LeaseApi {
 public:
  LeaseApi() = default;
  LeaseApi(const LeaseApi&) = delete;
  LeaseApi& operator=(const LeaseApi&) = delete;
  virtual ~LeaseApi() = default;

  /// Each returns the Lease's JSON as the server has it. Codes that matter: kNotFound,
  /// kAlreadyExists, kConflict. The read never comes from a cache of the server.
  virtual Result<std::string> get(Duration timeout, std::stop_token stop) = 0;
  virtual Result<std::string> create(const std::string& body, Duration timeout,
                                     std::stop_token stop) = 0;
  virtual Result<std::string> update(const std::string& body, Duration timeout,
                                     std::stop_token stop) = 0;
};

/// A Lease through an API client, which must be used only for it, on ConnectionPurpose::kLease.
class RestLeaseApi final : public LeaseApi {
 public:
  /// `client` must outlive this.
  RestLeaseApi(RestClient& client, std::string ns, std::string name);

  Result<std::string> get(Duration timeout, std::stop_token stop) override;
  Result<std::string> create(const std::string& body, Duration timeout,
                             std::stop_token stop) override;
  Result<std::string> update(const std::string& body, Duration timeout,
                             std::stop_token stop) override;

 private:
  RestClient& client_;
  const std::string ns_;
  const std::string name_;
};

}  // namespace davit::host
