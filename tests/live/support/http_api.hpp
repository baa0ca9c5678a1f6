/// An API server over HTTP as the api_checks see one.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "tests/support/api_checks/api_checks.hpp"

namespace davit::live {

/// Sends requests exactly as given, credentials included. One thread uses it.
class HttpApi final : public checks::Server {
 public:
  /// `server`: "https://127.0.0.1:6443". `forget` discards the server's history.
  HttpApi(const std::string& server, const std::string& ca_file, std::function<void()> forget);
  ~HttpApi() override;

  [[nodiscard]] checks::Reply send(const std::string& method, const std::string& target,
                                   const checks::Headers& headers,
                                   const std::string& body) override;
  [[nodiscard]] checks::Watched watch(const std::string& target, const checks::Headers& headers,
                                      const std::function<void()>& then, std::size_t events,
                                      bool ends, std::chrono::seconds within) override;
  void forget_history() override { forget_(); }
  void pass_time() override;
  /// A busy machine comes late.
  [[nodiscard]] std::chrono::seconds time_limit(std::chrono::seconds within) const override {
    return std::max(within, std::chrono::seconds(60));
  }

 private:
  struct Connection;

  std::unique_ptr<Connection> connection_;
  std::function<void()> forget_;
};

}  // namespace davit::live
