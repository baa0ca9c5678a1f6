/// The text of an object that waits for its revision.
#pragma once

#include <string>

#include "lib/kube/json.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// An object's JSON with a gap where metadata.resourceVersion goes: it is written before the
/// revision is known, so that only the digits are left to do under the store's lock.
class VersionText {
 public:
  /// A resourceVersion that `object` brings is left out.
  explicit VersionText(const Json& object);

  [[nodiscard]] std::string with(Revision revision) const;

 private:
  void append_metadata(const Json::Members& members);

  std::string text_;
  std::size_t gap_ = 0;  ///< Offset of the digits in `text_`.
};

}  // namespace davit::sandbox
