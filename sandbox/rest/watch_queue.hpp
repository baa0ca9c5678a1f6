/// The events of a watch whose objects a webhook converts.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/rest/list.hpp"
#include "sandbox/rest/rest_parts.hpp"
#include "sandbox/rest/watch_event.hpp"

namespace davit::sandbox {

/// Holds events while another thread converts their objects, a batch at a time. Not thread-safe.
class WatchQueue {
 public:
  struct Entry {
    std::string_view type;  ///< "ADDED", "MODIFIED", "DELETED"; empty: a bookmark.
    VersionPtr version;     ///< Null: a bookmark.
    Revision revision = 0;  ///< The resourceVersion to show; 0: that of `version`.
    WatchEventWriter::Bookmark bookmark = WatchEventWriter::Bookmark::kProgress;
    /// The state before, where the forms decide whether it and `version` are selected; null: there
    /// was no object, or the entry is selected.
    VersionPtr previous = nullptr;
  };
  enum class State : std::uint8_t {
    kEmpty,
    kWaiting,  ///< There are events; next_read() says when to ask again.
    kFailed,   ///< The watch cannot continue: failure().
  };

  /// `parts` needs a converter; what it refers to must outlive the work that this starts. The
  /// converted objects that `selection` selects are shown; null: all. It must outlive this.
  WatchQueue(const RestParts& parts, ResourcePtr resource, const Selection* selection)
      : parts_(parts), resource_(std::move(resource)), selection_(selection) {}

  void push(Entry entry) { waiting_.push_back(std::move(entry)); }
  /// Whether events should be written before others are pushed.
  [[nodiscard]] bool is_full() const { return waiting_.size() >= kEventsMax; }
  /// Writes events in their order until `out` has `size_max` bytes. Never blocks, unless the
  /// converter's tasks do.
  [[nodiscard]] State write(std::string& out, std::size_t size_max, WatchEventWriter& writer);
  [[nodiscard]] Time next_read() const;
  /// Whether it shows only what the selection selects once it is converted.
  [[nodiscard]] bool selects() const { return selection_ != nullptr; }
  [[nodiscard]] const ApiError& failure() const { return *failure_; }

 private:
  static constexpr std::size_t kEventsMax = 256;
  /// Until there may be a thread again.
  static constexpr Duration kRetryAfter = std::chrono::milliseconds(20);
  using Outcome = std::optional<ApiResult<std::vector<Json>>>;

  [[nodiscard]] bool begin();
  [[nodiscard]] bool finish();
  void write_batch(std::string& out, std::size_t size_max, WatchEventWriter& writer);
  void write_object(std::string& out, const Entry& entry, WatchEventWriter& writer);
  [[nodiscard]] Json next_object();

  const RestParts parts_;
  const ResourcePtr resource_;
  const Selection* const selection_;
  std::deque<Entry> waiting_;
  std::deque<Entry> batch_;           // Being converted, or being written.
  std::deque<Json> objects_;          // Those of batch_, once converted, each after its `previous`.
  std::shared_ptr<Outcome> outcome_;  // Written by task_.
  std::unique_ptr<ObjectConverter::Task> task_;
  std::optional<Time> retry_at_;  // No thread or memory was free.
  ApiFailure failure_;
};

}  // namespace davit::sandbox
