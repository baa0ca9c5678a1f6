/// Whatever is sent, the server responds with a status, says JSON only where JSON is, and serves
/// the next request. An input is a series of requests, separated by the byte 0x1e; each is a line
/// with method and target, lines with headers, an empty line, and the body.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/assert.hpp"
#include "lib/base/random.hpp"
#include "lib/base/take_until.hpp"
#include "sandbox/server/api_server.hpp"
#include "tests/support/fake_clock.hpp"

namespace {
using namespace davit;
using namespace davit::sandbox;

constexpr std::string_view kBetweenRequests = "\x1e";
constexpr std::size_t kEventBytesMax = 1 << 16;

class SilentLog final : public davit::LogSink {
 public:
  [[nodiscard]] int verbosity() const override { return 0; }
  void write(davit::Severity, int, std::string_view, std::string_view,
             std::span<const davit::LogPair>) override {}
  void flush() override {}
};

HttpServerRequest read_request(std::string_view text) {
  HttpServerRequest request;
  std::string_view first = take_until(text, "\n");
  request.method = take_until(first, " ");
  request.target = first;
  while (!text.empty()) {
    std::string_view line = take_until(text, "\n");
    if (line.empty()) break;
    const std::string_view name = take_until(line, ":");
    if (line.starts_with(' ')) line.remove_prefix(1);
    request.headers.emplace_back(name, line);
  }
  request.body = text;
  return request;
}

void check(HttpServerResponse& response) {
  DAVIT_ASSERT(response.status >= 100 && response.status <= 599);
  if (response.stream) {
    std::string events;
    static_cast<void>(response.stream->read(events, kEventBytesMax));
    static_cast<void>(response.stream->next_read());
  } else if (response.content_type == "application/json" && !response.body.empty()) {
    DAVIT_ASSERT(parse_json(response.body).has_value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  davit::test::FakeClock clock;
  SilentLog log;
  const auto random = davit::make_seeded_random(1);
  Store store(clock);
  const auto server = ApiServer::open({store, clock, *random, davit::Logger(log)});
  DAVIT_ASSERT(server.has_value());

  std::vector<HttpServerResponse>
      responses;  // Watches stay open, and see what later requests change.
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (!rest.empty()) {
    responses.push_back((*server)->handle(read_request(take_until(rest, kBetweenRequests))));
    clock.advance(std::chrono::milliseconds(1));
    for (HttpServerResponse& each : responses) check(each);
  }
  HttpServerRequest list;
  list.method = "GET";
  list.target = "/api/v1/namespaces";
  DAVIT_ASSERT((*server)->handle(list).status == 200);
  return 0;
}
