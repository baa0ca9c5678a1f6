/// A way to the server that counts requests.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/net/transport.hpp"

namespace davit::host {

/// Counts what the server is asked to list or watch for the caches, and the pods that it is asked
/// for.
class CountingTransport final : public Transport {
 public:
  explicit CountingTransport(Transport& next) : next_(next) {}

  [[nodiscard]] std::unique_ptr<Call> start(HttpRequest request, ResponseReader& reader) override {
    if (request.method == "GET" && request.purpose == ConnectionPurpose::kWatch) ++reads_;
    if (request.method == "POST" && request.target.find("/default/pods") != std::string::npos)
      ++pods_;
    return next_.start(std::move(request), reader);
  }
  [[nodiscard]] std::string_view server() const override { return next_.server(); }
  [[nodiscard]] int reads() const { return reads_.load(); }
  [[nodiscard]] int pods() const { return pods_.load(); }

 private:
  Transport& next_;
  std::atomic<int> reads_{0};
  std::atomic<int> pods_{0};
};

}  // namespace davit::host
