/// The body of a watch.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/rest/exchange.hpp"
#include "sandbox/rest/list.hpp"
#include "sandbox/rest/watch_event.hpp"

namespace davit::sandbox {

/// What a watch begins with and how long it goes on.
struct WatchPlan {
  Selection selection;
  /// Sent as ADDED first; nothing when the watch begins with changes.
  std::vector<VersionPtr> initial;
  Revision position = 0;  ///< Changes after this one follow.
  enum class Bookmarks : std::uint8_t {
    kNone,
    kSome,
    kAlsoAfterInitial
  } bookmarks = Bookmarks::kNone;
  host::Time deadline;
  std::optional<ApiError> error;  ///< Sent in place of everything else.
};

/// Reads changes from the store when asked, so a slow reader costs nothing. `parts` is borrowed for
/// the stream's life.
class WatchStream final : public BodyStream {
 public:
  WatchStream(const RestParts& parts, ResourcePtr resource, OutputForm form, WatchPlan plan);

  [[nodiscard]] State read(std::string& out, std::size_t bytes_max) override;
  void on_ready(std::function<void()> ready) override;
  [[nodiscard]] host::Time next_read() const override;

 private:
  enum class Phase : std::uint8_t {
    kInitial,  ///< `plan_.initial` from `sent_` on is still to be sent.
    kLive,
    kEnded,
  };

  void send_initial(std::string& out, std::size_t size_max);
  void send_changes(std::string& out, std::size_t size_max);
  void send_change(std::string& out, const Change& change);
  void send_bookmark(std::string& out, host::Time now);
  [[nodiscard]] host::Time bookmark_due() const;
  [[nodiscard]] bool is_served() const;

  const RestParts parts_;
  const ResourcePtr resource_;
  WatchPlan plan_;
  WatchEventWriter writer_;
  Phase phase_ = Phase::kInitial;
  std::size_t sent_ = 0;   // Of plan_.initial.
  Revision position_ = 0;  // All of the collection's changes up to here are sent.
  Revision told_ = 0;      // The last position that a bookmark could no longer improve.
  host::Time bookmarked_;  // When the last bookmark was due.
  std::unique_ptr<Store::Subscription> subscription_;
};

}  // namespace davit::sandbox
