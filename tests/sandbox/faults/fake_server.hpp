/// What the fault layer stands in front of in its tests.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/faults/fault_layer.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::sandbox {

/// What a FakeStream reads from.
struct FakeFeed {
  std::vector<std::string> lines;  ///< Not yet read, oldest first.
  bool ended = false;
  host::Time next = host::Time::max();
};

class FakeStream final : public BodyStream {
 public:
  explicit FakeStream(FakeFeed& feed) : feed_(feed) {}

  State read(std::string& out, std::size_t bytes_max) override {
    const std::size_t start = out.size();
    while (!feed_.lines.empty() && out.size() - start < bytes_max) {
      out += feed_.lines.front() + '\n';
      feed_.lines.erase(feed_.lines.begin());
    }
    return feed_.ended && feed_.lines.empty() ? State::kEnded : State::kOpen;
  }
  void on_ready(std::function<void()>) override {}
  host::Time next_read() const override { return feed_.next; }

 private:
  FakeFeed& feed_;
};

/// Answers what the test prepared, watches from one feed, and notes what it was asked.
class FakeServer final : public Handler {
 public:
  Response handle(const Request& request) override {
    asked.push_back(request.method + ' ' + request.target);
    Response response;
    if (request.target.find("watch=1") != std::string::npos) {
      response.stream = std::make_unique<FakeStream>(feed);
      return response;
    }
    response.status = status;
    response.body = body;
    return response;
  }

  std::vector<std::string> asked;
  int status = 200;
  std::string body = R"({"kind":"Pod"})";
  FakeFeed feed;
};

inline Request request(std::string method, std::string target, std::string body = "") {
  Request out;
  out.method = std::move(method);
  out.target = std::move(target);
  out.body = std::move(body);
  return out;
}

/// A layer with all it stands on.
struct FaultyServer {
  std::uint64_t add(std::string_view rule) {
    return layer.add(*parse_fault_script(json_literal(rule))).at(0);
  }
  Response get(std::string target) { return layer.handle(request("GET", std::move(target))); }

  test::FakeClock clock;
  Store store{clock};
  FakeServer server;
  FaultLayer layer{{server, store, clock}, 1};
};

}  // namespace davit::sandbox
