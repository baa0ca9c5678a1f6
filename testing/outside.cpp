#include "testing/outside.hpp"

#include "lib/base/lower_case.hpp"

namespace davit::testing {
namespace {

/// Has no response: it is complete when start() returns, or never comes.
class NoCall final : public davit::Call {
 public:
  void resume() override {}
};

}  // namespace

class Outside::Way final : public Transport {
 public:
  Way(Outside& outside, std::string url) : outside_(outside), url_(std::move(url)) {}

  [[nodiscard]] std::unique_ptr<davit::Call> start(HttpRequest request,
                                                   ResponseReader& reader) override {
    const Status open = request.gate ? request.gate() : Status();
    if (!open.ok()) {
      reader.on_end({Break::kGate, open.message()});
      return std::make_unique<NoCall>();
    }
    HttpRecord record{.method = std::move(request.method),
                      .url = url_ + request.target,
                      .headers = std::move(request.headers),
                      .body = std::move(request.body)};
    // As a controller writes it: without the usual port.
    if (const auto url = host::OutboundUrl::parse(record.url)) record.url = url->text();
    deliver(outside_.reply(std::move(record)), reader);
    return std::make_unique<NoCall>();
  }
  [[nodiscard]] std::string_view server() const override { return url_; }

 private:
  static void deliver(HttpReply reply, ResponseReader& reader) {
    using Failure = HttpReply::Failure;
    if (reply.failure == Failure::kHang) return;
    if (reply.failure == Failure::kRefused) {
      return reader.on_end({Break::kRefused, "connection refused"});
    }
    if (reply.failure == Failure::kLost) {
      return reader.on_end({Break::kReset, "the connection broke before a response"});
    }
    for (auto& [name, value] : reply.headers) name = lower_case(std::move(name));
    reader.on_head(reply.http_status, reply.headers);
    if (!reply.body.empty()) (void)reader.on_body(reply.body);
    reader.on_end({});
  }

  Outside& outside_;
  const std::string url_;
};

HttpReply Outside::reply(HttpRecord record) {
  const HttpReply reply = server_ ? mistakes_.remembered([&] { return server_(record); })
                                  : HttpReply{.failure = HttpReply::Failure::kRefused};
  record.http_status = reply.failure == HttpReply::Failure::kNone ? reply.http_status : 0;
  records_.push_back(std::move(record));
  return reply;
}

std::unique_ptr<Transport> Outside::connect(const host::OutboundServer& server) {
  return std::make_unique<Way>(*this, server.url);
}

}  // namespace davit::testing
