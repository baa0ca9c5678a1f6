/// The body of a watch.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/net/http_message.hpp"
#include "sandbox/rest/list.hpp"
#include "sandbox/rest/revision_wait.hpp"
#include "sandbox/rest/watch_event.hpp"
#include "sandbox/rest/watch_queue.hpp"

namespace davit::sandbox {

/// The beginning of a watch, and how long it lasts.
struct WatchPlan {
  Selection selection;
  enum class Start : std::uint8_t {
    kState,     ///< With the objects that there are, once the store has come to `position`.
    kPosition,  ///< With the changes after `position`.
  } start = Start::kState;
  Revision position = 0;
  enum class Bookmarks : std::uint8_t {
    kNone,
    kSome,
    kAlsoAfterInitial
  } bookmarks = Bookmarks::kNone;
  Time deadline;
};

/// Reads changes from the store when asked, so a slow reader costs nothing. `parts` is borrowed for
/// the stream's life.
class WatchStream final : public HttpBodyStream {
 public:
  WatchStream(const RestParts& parts, ResourcePtr resource, OutputForm form, WatchPlan plan);

  [[nodiscard]] State read(std::string& out, std::size_t bytes_max) override;
  void on_ready(std::function<void()> ready) override;
  [[nodiscard]] Time next_read() const override;

 private:
  enum class Phase : std::uint8_t {
    kWaiting,  ///< The store has not come to where the watch is to begin.
    kInitial,  ///< `initial_` from `sent_` on is still to be sent.
    kLive,
    kEnded,
  };

  [[nodiscard]] State state() const;
  void wait(std::string& out, Time now);
  [[nodiscard]] bool take_state();
  void send_initial(std::string& out, std::size_t size_max);
  [[nodiscard]] bool send_live(std::string& out, std::size_t size_max, Time now);
  void send_changes(std::string& out, std::size_t size_max);
  void send_change(std::string& out, const Change& change);
  [[nodiscard]] bool selects(const Version& version) const;
  void send(std::string& out, std::string_view type, const VersionPtr& version,
            Revision revision = 0);
  void show_bookmark(std::string& out, WatchEventWriter::Bookmark what);
  [[nodiscard]] bool has_room(const std::string& out, std::size_t size_max) const;
  void prepare_queue();
  [[nodiscard]] bool flush(std::string& out, std::size_t size_max, Time now);
  void send_bookmark(std::string& out, Time now);
  [[nodiscard]] Time bookmark_due() const;
  [[nodiscard]] bool is_served() const;

  const RestParts parts_;
  const ResourcePtr resource_;
  const WatchPlan plan_;
  WatchEventWriter writer_;
  std::unique_ptr<WatchQueue> queue_;  // Null: no webhook converts the objects.
  Phase phase_;
  RevisionWait wait_;  // In kWaiting.
  std::vector<VersionPtr> initial_;
  std::size_t sent_ = 0;   // The number of entries of initial_ that are sent.
  Revision position_ = 0;  // The revision up to which the collection's changes are sent.
  Revision reported_ = 0;  // The last position that a bookmark could no longer improve.
  Time bookmarked_;        // When the last bookmark was due.
  std::unique_ptr<Store::Subscription> subscription_;
};

}  // namespace davit::sandbox
