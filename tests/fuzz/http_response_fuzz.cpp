/// Any bytes of a server make the same response, however they are cut into pieces and wherever its
/// reader pauses; what is kept of a head has limits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/assert.hpp"
#include "lib/net/http1.hpp"

namespace {
using namespace davit;
using State = Http1Response::State;

/// The request, as the first byte of an input decides.
struct Request {
  explicit Request(std::uint8_t first)
      : body((first & 1U) != 0 ? ResponseBody::kNever : ResponseBody::kPossible),
        protocol_switch((first & 2U) != 0 ? ProtocolSwitch::kWanted : ProtocolSwitch::kRefused) {
    if ((first & 4U) != 0) route.proxy = "http://proxy:3128";
  }

  Http1Route route{.host = "h"};
  ResponseBody body;
  ProtocolSwitch protocol_switch;
};

enum class Pauses { kNever, kEachOtherPiece };

class Reader final : public ResponseReader {
 public:
  explicit Reader(Pauses pauses) : pauses_(pauses) {}

  void on_head(int code, const HttpHeaders& names) override {
    DAVIT_ASSERT(status == 0 && code >= 101);
    DAVIT_ASSERT(names.size() <= kHttpFieldsMax);
    std::size_t bytes = 0;
    for (const auto& [name, value] : names) bytes += name.size() + value.size();
    DAVIT_ASSERT(bytes <= kHttpHeadBytesMax);
    status = code;
    headers = names;
  }
  Flow on_body(std::string_view piece) override {
    DAVIT_ASSERT(status != 0 && !piece.empty());
    if (pauses_ == Pauses::kEachOtherPiece && std::exchange(pauses_next_, !pauses_next_))
      return Flow::kPause;
    body += piece;
    return Flow::kMore;
  }
  void on_end(const TransportEnd&) override {}

  int status = 0;
  HttpHeaders headers;
  std::string body;

 private:
  const Pauses pauses_;
  bool pauses_next_ = true;
};

struct Outcome {
  State state;
  int status;
  HttpHeaders headers;
  std::string body;
  std::string rest;
  bool keeps_connection;
};

Outcome read(std::string_view bytes, std::size_t piece, Pauses pauses, const Request& request) {
  Reader reader(pauses);
  Http1Response response(reader, request.body, request.route, request.protocol_switch);
  State state = State::kMore;
  while (state == State::kPaused || (state == State::kMore && !bytes.empty())) {
    if (state == State::kPaused) {
      state = response.resume();
      continue;
    }
    state = response.feed(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  if (state == State::kMore) state = response.finish();
  DAVIT_ASSERT(state == State::kDone || state == State::kBroken);
  DAVIT_ASSERT(state == State::kDone || !response.end().message.empty());
  const bool keeps = state == State::kDone && bytes.empty() && response.keeps_connection();
  std::string rest = state == State::kDone ? response.take_rest().append(bytes) : "";
  return {state,           reader.status, std::move(reader.headers), std::move(reader.body),
          std::move(rest), keeps};
}

/// A response that breaks may do so before or after the last piece that came with its fault.
bool are_alike(const Outcome& a, const Outcome& b) {
  if (a.state != b.state) return false;
  if (a.state == State::kBroken) return a.body.starts_with(b.body) || b.body.starts_with(a.body);
  return a.status == b.status && a.headers == b.headers && a.body == b.body && a.rest == b.rest &&
         a.keeps_connection == b.keeps_connection;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const Request request(data[0]);
  constexpr std::size_t kShort = 2048;  // Each piece of a head reads all before it again.
  const std::size_t piece = (std::size_t{data[0]} / 8 + 1) * (size < kShort ? 1 : 509);
  const Outcome whole = read(bytes, bytes.size() + 1, Pauses::kNever, request);
  const Outcome pieces = read(bytes, piece, Pauses::kEachOtherPiece, request);
  DAVIT_ASSERT(are_alike(whole, pieces));
  return 0;
}
