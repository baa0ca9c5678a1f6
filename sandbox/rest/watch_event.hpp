/// The events of one watch, in the form that was agreed on.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/clock.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/output/output.hpp"

namespace davit::sandbox {

inline constexpr std::string_view kAddedEvent = "ADDED";
inline constexpr std::string_view kModifiedEvent = "MODIFIED";
inline constexpr std::string_view kDeletedEvent = "DELETED";

/// Whether a watch selects an object before and after a change.
struct Selected {
  bool before = false;
  bool after = false;
};
/// The type of the event by which a watch shows a change of `type`: it shows the selected set, so
/// what begins to match is ADDED, what ceases is DELETED. Empty: no event.
[[nodiscard]] std::string_view shown_type(std::string_view type, Selected selected);

/// Not thread-safe: it remembers whether a Table's columns were shown.
class WatchEventWriter {
 public:
  /// `clock` is borrowed.
  WatchEventWriter(ResourcePtr resource, OutputForm form, const Clock& clock);

  /// `type` is "ADDED", "MODIFIED" or "DELETED".
  void append(std::string& out, std::string_view type, const Version& version);
  /// The same of an object in the form of the resource.
  void append(std::string& out, std::string_view type, const Json& object);
  /// The same with the resourceVersion of another write.
  void append_at(std::string& out, std::string_view type, const Version& version,
                 Revision revision);
  enum class Bookmark : std::uint8_t { kProgress, kInitialEventsEnd };
  void append_bookmark(std::string& out, Bookmark what, Revision revision);
  void append_error(std::string& out, const ApiError& error) const;

 private:
  void append_event(std::string& out, std::string_view type, const Json& object) const;

  const ResourcePtr resource_;
  const OutputForm form_;
  const Clock& clock_;
  ShowColumns columns_ = ShowColumns::kYes;
};

}  // namespace davit::sandbox
