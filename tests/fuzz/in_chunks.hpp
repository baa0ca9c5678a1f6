/// A body that a splitter gets in pieces, as a connection delivers it.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <string_view>

namespace davit {

/// Feeds `body` in pieces of `chunk` bytes, and ends it unless a piece was refused.
template <typename Splitter, typename Sink>
Status feed_in_chunks(Splitter& splitter, std::string_view body, std::size_t chunk,
                      const Sink& sink) {
  for (std::size_t at = 0; at < body.size(); at += chunk) {
    if (const Status status = splitter.feed(body.substr(at, chunk), sink); !status.ok()) {
      return status;
    }
  }
  return splitter.finish();
}

}  // namespace davit
