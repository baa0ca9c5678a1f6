/// Sends the patches of the controller.
#pragma once

#include <davit/client.hpp>
#include <davit/queue.hpp>
#include <davit/result.hpp>
#include <string>
#include <utility>

#include "plugins/volumebinder/patches.hpp"

namespace davit::volumebinder {

/// The response has the version only, which is all that the next write needs.
inline constexpr WriteOptions kSpec{.answer = Answer::kMetadata};
inline constexpr WriteOptions kStatus{.subresource = "status", .answer = Answer::kMetadata};

/// Sends a patch unless it is empty, and moves `target` to the version that it made.
template <typename View>
[[nodiscard]] Status send(const Client& client, const Key& key, std::string patch,
                          const WriteOptions& options, Target& target) {
  if (patch.empty()) return {};
  const Result<View> written =
      client.patch<View>(key, PatchType::kMerge, std::move(patch), options);
  if (!written) return written.error();
  target = Target(*written);
  return {};
}

/// The same for the only patch of a sync.
template <typename View>
[[nodiscard]] Status send(const Client& client, const View& object, std::string patch,
                          const WriteOptions& options) {
  Target target(object);
  return send<View>(client, object.key(), std::move(patch), options, target);
}

/// The end of a sync: tried again after an error.
[[nodiscard]] inline Result<Again> done(Status status) {
  if (!status.ok()) return status;
  return Again::when_changed();
}

}  // namespace davit::volumebinder
