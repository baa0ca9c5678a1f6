/// A Transport that responds from a script, at once and on the caller's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/mutex.hpp"
#include "lib/net/transport.hpp"

namespace davit::test {

/// The response to a request.
struct ScriptedResponse {
  /// kOpen: the response continues by send() and finish(). 0 as `status`: no head yet, or none at
  /// all.
  enum class Rest { kComplete, kOpen };

  int status = 200;
  std::string body;
  HttpHeaders headers = {{"content-type", "application/json"}};
  TransportEnd end = {};
  Rest rest = Rest::kComplete;
};

/// No response because the connection broke.
[[nodiscard]] inline ScriptedResponse broken(Break kind, std::string message = "broken") {
  return {0, "", {}, {kind, std::move(message)}, ScriptedResponse::Rest::kComplete};
}

/// A request that stays open; see FakeTransport::send().
[[nodiscard]] inline ScriptedResponse open_response(int status, std::string body = "") {
  return {status, std::move(body), {}, {}, ScriptedResponse::Rest::kOpen};
}

/// Thread-safe. Must outlive its calls.
class FakeTransport final : public Transport {
 public:
  using Script = std::function<ScriptedResponse(const HttpRequest&)>;

  /// Sets the response to requests for which no respond() is left. Called under a lock; must not
  /// call back.
  void set_script(Script script) {
    MutexLock lock(mutex_);
    script_ = std::move(script);
  }

  /// The next request that no earlier respond() is left for gets this.
  void respond(ScriptedResponse response) {
    MutexLock lock(mutex_);
    responses_.push_back(std::move(response));
  }

  /// Copies of all requests so far, in order.
  [[nodiscard]] std::vector<HttpRequest> requests() const {
    MutexLock lock(mutex_);
    return requests_;
  }

  /// Blocks until `count` requests have come.
  void await_requests(std::size_t count) {
    MutexLock lock(mutex_);
    while (requests_.size() < count) changed_.wait(mutex_);
  }

  /// The numbers of requests, from 0, whose calls are neither ended nor destroyed.
  [[nodiscard]] std::vector<std::size_t> open_calls() const {
    MutexLock lock(mutex_);
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (calls_[i].reader != nullptr) out.push_back(i);
    }
    return out;
  }

  /// More of the body of request `number`; nothing when its call is gone.
  void send(std::size_t number, std::string_view chunk) {
    MutexLock lock(mutex_);
    calls_.at(number).unsent += chunk;
    deliver(calls_.at(number));
  }

  /// The end of request `number`, once the reader has taken all of its body.
  void finish(std::size_t number, TransportEnd end = {}) {
    MutexLock lock(mutex_);
    calls_.at(number).end = std::move(end);
    calls_.at(number).ends = true;
    deliver(calls_.at(number));
  }

  [[nodiscard]] std::unique_ptr<davit::Call> start(HttpRequest request,
                                                   ResponseReader& reader) override {
    // A request that its gate refuses counts as one that was never made.
    const Status open = request.gate ? request.gate() : Status();
    MutexLock lock(mutex_);
    if (!open.ok()) {
      calls_.push_back({nullptr, "", {}, true});
      reader.on_end({Break::kGate, open.message()});
      return std::make_unique<FakeCall>(*this, calls_.size() - 1);
    }
    ScriptedResponse response;
    if (next_response_ < responses_.size()) {
      response = responses_[next_response_++];
    } else if (script_) {
      response = script_(request);
    } else {
      response = broken(Break::kRefused, "the test has no response for this request");
    }
    requests_.push_back(std::move(request));
    const std::size_t number = calls_.size();
    const bool ends = response.rest == ScriptedResponse::Rest::kComplete;
    calls_.push_back({&reader, std::move(response.body), std::move(response.end), ends});
    if (response.status != 0) reader.on_head(response.status, response.headers);
    deliver(calls_.back());
    changed_.notify_all();
    return std::make_unique<FakeCall>(*this, number);
  }

  [[nodiscard]] std::string_view server() const override { return "https://fake:6443"; }

 private:
  struct Entry {
    ResponseReader* reader;  // Null once ended or destroyed.
    std::string unsent;
    TransportEnd end;
    bool ends;
    std::size_t taken = 0;  // The part of `unsent` that is delivered.
  };

  class FakeCall final : public davit::Call {
   public:
    FakeCall(FakeTransport& transport, std::size_t number)
        : transport_(transport), number_(number) {}
    ~FakeCall() override {
      MutexLock lock(transport_.mutex_);
      transport_.calls_[number_].reader = nullptr;
    }
    void resume() override {
      MutexLock lock(transport_.mutex_);
      transport_.deliver(transport_.calls_[number_]);
    }

   private:
    FakeTransport& transport_;
    const std::size_t number_;
  };

  static constexpr std::size_t kChunkBytes = 16 * 1024;

  // The lock is held during callbacks, so that destroying a call waits for them.
  void deliver(Entry& entry) REQUIRES(mutex_) {
    while (entry.reader != nullptr && entry.taken < entry.unsent.size()) {
      const std::string_view chunk =
          std::string_view(entry.unsent).substr(entry.taken, kChunkBytes);
      if (entry.reader->on_body(chunk) == ResponseReader::Flow::kPause) return;
      entry.taken += chunk.size();
    }
    if (entry.reader == nullptr || !entry.ends) return;
    ResponseReader& reader = *entry.reader;
    entry.reader = nullptr;
    reader.on_end(entry.end);
  }

  mutable Mutex mutex_;
  CondVar changed_;
  Script script_ GUARDED_BY(mutex_);
  std::vector<ScriptedResponse> responses_ GUARDED_BY(mutex_);
  std::size_t next_response_ GUARDED_BY(mutex_) = 0;
  std::vector<HttpRequest> requests_ GUARDED_BY(mutex_);
  std::vector<Entry> calls_ GUARDED_BY(mutex_);
};

/// A way to a transport that someone else owns.
class BorrowedTransport final : public Transport {
 public:
  explicit BorrowedTransport(Transport& to) : to_(to) {}
  [[nodiscard]] std::unique_ptr<davit::Call> start(HttpRequest request,
                                                   ResponseReader& reader) override {
    return to_.start(std::move(request), reader);
  }
  [[nodiscard]] std::string_view server() const override { return to_.server(); }

 private:
  Transport& to_;
};

}  // namespace davit::test
