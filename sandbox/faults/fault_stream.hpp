/// A watch on its way through the fault layer.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/net/http_message.hpp"
#include "sandbox/faults/fault_board.hpp"

namespace davit::sandbox {

/// Passes the events of another stream on as far as the board allows. Events that are held back
/// stay unread in the other stream, so they cost nothing and keep their order.
class FaultStream final : public HttpBodyStream {
 public:
  /// The framing of a watch's events.
  enum class Framing : std::uint8_t { kLines, kProtobuf };
  /// `first` has the events that go before those of `inner`. `gone` is the event that
  /// ends the watch with 410. `board` must outlive the stream.
  struct Parts {
    FaultBoard& board;
    FaultBoard::WatchId watch;
    std::unique_ptr<HttpBodyStream> inner;
    std::string first;
    std::string gone;
    Framing framing = Framing::kLines;
  };
  explicit FaultStream(Parts parts) : parts_(std::move(parts)), pending_(std::move(parts_.first)) {}
  ~FaultStream() override { parts_.board.close_watch(parts_.watch); }

  State read(std::string& out, std::size_t bytes_max) override;
  void on_ready(std::function<void()> ready) override;
  [[nodiscard]] Time next_read() const override;

 private:
  [[nodiscard]] std::string_view pending() const {
    return std::string_view(pending_).substr(sent_);
  }
  /// Whether there is something pending now.
  bool fetch(std::size_t bytes_max);

  Parts parts_;
  std::string pending_;  ///< Whole events that `inner` gave away, from `sent_` on.
  std::size_t sent_ = 0;
  State inner_state_ = State::kOpen;
  bool held_ = false;  ///< At the last read().
};

}  // namespace davit::sandbox
