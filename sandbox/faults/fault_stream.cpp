#include "sandbox/faults/fault_stream.hpp"

#include <algorithm>

namespace davit::sandbox {

namespace {

using Verdict = WatchFaults::Verdict;

/// What a line of a watch is about; of a Table the first row counts.
AskedEvent about(std::string_view line) {
  const Result<Json> event = parse_json(line);
  if (!event) return {};
  const Json* object = &event->get("object");
  if (const Json::Items& rows = object->get("rows").items(); !rows.empty()) {
    object = &rows.front().get("object");
  }
  return {event->text_at({"type"}), object->text_at({"metadata", "namespace"}),
          object->text_at({"metadata", "name"})};
}

}  // namespace

bool FaultStream::fetch(std::size_t bytes_max) {
  if (sent_ < pending_.size()) return true;
  pending_.clear();
  sent_ = 0;
  if (inner_state_ == State::kOpen) inner_state_ = parts_.inner->read(pending_, bytes_max);
  return !pending_.empty();
}

BodyStream::State FaultStream::read(std::string& out, std::size_t bytes_max) {
  held_ = false;
  if (pending().empty() && parts_.board.undisturbed(parts_.watch)) {
    if (inner_state_ == State::kOpen) inner_state_ = parts_.inner->read(out, bytes_max);
    return inner_state_;
  }
  const std::size_t start = out.size();
  while (out.size() - start < bytes_max) {
    switch (parts_.board.verdict(parts_.watch)) {
      case Verdict::kDeliver:
        break;
      case Verdict::kHeld:
        held_ = true;
        return State::kOpen;
      case Verdict::kEnded:
        return State::kEnded;
      case Verdict::kCut:
        return State::kCut;
      case Verdict::kGone:
        out += parts_.gone;
        return State::kEnded;
    }
    if (!fetch(bytes_max)) return inner_state_;
    const std::string_view rest = pending();
    const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    if (parts_.board.deliver(parts_.watch, about(line))) out += line;
    sent_ += line.size();
  }
  return State::kOpen;
}

void FaultStream::on_ready(std::function<void()> ready) {
  parts_.inner->on_ready(ready);
  parts_.board.on_ready(parts_.watch, std::move(ready));
}

host::Time FaultStream::next_read() const {
  const host::Time change = parts_.board.next_change(parts_.watch);
  return held_ ? change : std::min(change, parts_.inner->next_read());
}

}  // namespace davit::sandbox
