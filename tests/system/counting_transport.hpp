/// A way to the server that counts requests.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/net/transport.hpp"

namespace davit::host {

/// Counts what the server is asked to list for the caches, and the pods that it is asked for.
class CountingTransport final : public Transport {
 public:
  explicit CountingTransport(Transport& next) : next_(next) {}

  [[nodiscard]] std::unique_ptr<Call> start(HttpRequest request, ResponseReader& reader) override {
    if (request.method == "GET" && request.purpose == ConnectionPurpose::kWatch &&
        asks_for_content(request.target))
      ++lists_;
    if (request.method == "POST" && request.target.find("/default/pods") != std::string::npos)
      ++pods_;
    return next_.start(std::move(request), reader);
  }
  [[nodiscard]] std::string_view server() const override { return next_.server(); }
  /// Every new informer sends one. Watches from a known version are not counted: each informer
  /// renews its own when the server has been silent.
  [[nodiscard]] int lists() const { return lists_.load(); }
  [[nodiscard]] int pods() const { return pods_.load(); }

 private:
  static bool asks_for_content(std::string_view target) {
    const auto has = [target](std::string_view part) {
      return target.find(part) != std::string_view::npos;
    };
    // A list of one object asks for the server's version only.
    return has("sendInitialEvents=true") || (!has("watch=true") && !target.ends_with("limit=1"));
  }

  Transport& next_;
  std::atomic<int> lists_{0};
  std::atomic<int> pods_{0};
};

}  // namespace davit::host
