/// The server behind the fault layer in its tests.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/faults/fault_layer.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::sandbox {

/// The source of a FakeStream.
struct FakeWatch {
  std::vector<std::string> lines;  ///< Not yet read, oldest first.
  bool ended = false;
  Time next = Time::max();
};

class FakeStream final : public HttpBodyStream {
 public:
  explicit FakeStream(FakeWatch& watch) : watch_(watch) {}

  State read(std::string& out, std::size_t bytes_max) override {
    const std::size_t start = out.size();
    while (!watch_.lines.empty() && out.size() - start < bytes_max) {
      out += watch_.lines.front() + '\n';
      watch_.lines.erase(watch_.lines.begin());
    }
    return watch_.ended && watch_.lines.empty() ? State::kEnded : State::kOpen;
  }
  void on_ready(std::function<void()>) override {}
  Time next_read() const override { return watch_.next; }

 private:
  FakeWatch& watch_;
};

/// Responds with what the test prepared and records the requests; all watches read one source.
class FakeServer final : public UrlHandler {
 public:
  HttpServerResponse handle(const HttpServerRequest& request) override {
    request_facts.push_back(request.method + ' ' + request.target);
    HttpServerResponse response;
    if (request.target.find("watch=1") != std::string::npos) {
      response.stream = std::make_unique<FakeStream>(watch);
      return response;
    }
    response.status = status;
    response.body = body;
    return response;
  }

  HttpServerResponse handle(const HttpServerRequest& request, const Url& url) override {
    parsed_paths.push_back(url.path);
    return handle(request);
  }

  std::vector<std::string> request_facts;
  std::vector<std::string> parsed_paths;  ///< Those of requests that came with their URL.
  int status = 200;
  std::string body = R"({"kind":"Pod"})";
  FakeWatch watch;
};

inline HttpServerRequest request(std::string method, std::string target, std::string body = "") {
  HttpServerRequest out;
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
  HttpServerResponse get(std::string target) {
    return layer.handle(request("GET", std::move(target)));
  }

  test::FakeClock clock;
  Store store{clock};
  FakeServer server;
  FaultLayer layer{{server, store, clock}, 1};
};

}  // namespace davit::sandbox
