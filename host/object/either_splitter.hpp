/// Cuts a body whose first byte says whether it is JSON or protobuf.
#pragma once

#include <davit/result.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "host/object/list_splitter.hpp"
#include "host/object/protobuf_list_splitter.hpp"
#include "host/object/protobuf_watch_splitter.hpp"
#include "host/object/watch_splitter.hpp"

namespace davit::host {

/// A server may respond in JSON to a request for protobuf. JSON begins with a brace or white space;
/// a list in protobuf with "k8s\0" and a frame of a watch with a length whose first byte is small,
/// so the first byte decides, even where a proxy spoils Content-Type.
template <typename Json, typename Protobuf, typename Large>
class EitherSplitter {
 public:
  explicit EitherSplitter(Large large) : large_(std::move(large)) {}

  /// See ListSplitter and WatchSplitter; `sink` is theirs.
  template <typename Sink>
  Status feed(std::string_view chunk, const Sink& sink) {
    if (!json_ && !protobuf_) {
      if (chunk.empty()) return {};
      begin(Protobuf::begins_with(chunk.front()));
    }
    return json_ ? json_->feed(chunk, sink) : protobuf_->feed(chunk, sink);
  }
  /// An empty body counts as JSON.
  Status finish() {
    if (!json_ && !protobuf_) begin(false);
    return json_ ? json_->finish() : protobuf_->finish();
  }
  [[nodiscard]] bool is_protobuf() const { return protobuf_.has_value(); }

  /// Calls `use` with the splitter at work, once a byte has come or after finish().
  template <typename Use>
  decltype(auto) visit(Use&& use) const {
    return json_ ? use(*json_) : use(*protobuf_);
  }

 private:
  void begin(bool is_protobuf) {
    if (is_protobuf) {
      protobuf_.emplace(std::move(large_));
    } else {
      json_.emplace(std::move(large_));
    }
  }

  Large large_;
  std::optional<Json> json_;
  std::optional<Protobuf> protobuf_;
};

using EitherListSplitter = EitherSplitter<ListSplitter, ProtobufListSplitter, LargeItems>;
using EitherWatchSplitter = EitherSplitter<WatchSplitter, ProtobufWatchSplitter, LargeEvents>;

}  // namespace davit::host
