#include "sandbox/faults/fault_stream.hpp"

#include <algorithm>
#include <optional>

#include "lib/kube/schema/schema.hpp"

namespace davit::sandbox {

namespace {

using Verdict = WatchFaults::Verdict;

/// The first row of a Table counts.
EventFacts event_facts(const std::string& type, const Json& shown) {
  const Json::Items& rows = shown.get("rows").items();
  const Json& object = rows.empty() ? shown : rows.front().get("object");
  return {type, object.text_at({"metadata", "namespace"}), object.text_at({"metadata", "name"})};
}

struct NextEvent {
  std::string_view bytes;
  EventFacts about;
};

/// The first of the whole events in `rest`, which is not empty.
NextEvent next_event(std::string_view rest, FaultStream::Framing framing) {
  if (framing == FaultStream::Framing::kProtobuf) {
    const std::optional<ProtobufEvent> event = decode_protobuf_event(rest);
    if (!event) return {rest, {}};
    return {rest.substr(0, event->bytes), event_facts(event->type, event->object)};
  }
  const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
  const Result<Json> event = parse_json(line);
  if (!event) return {line, {}};
  return {line, event_facts(event->text_at({"type"}), event->get("object"))};
}

}  // namespace

bool FaultStream::fetch(std::size_t bytes_max) {
  if (sent_ < pending_.size()) return true;
  pending_.clear();
  sent_ = 0;
  if (inner_state_ == State::kOpen) inner_state_ = parts_.inner->read(pending_, bytes_max);
  return !pending_.empty();
}

HttpBodyStream::State FaultStream::read(std::string& out, std::size_t bytes_max) {
  held_ = false;
  if (pending().empty() && parts_.board.is_unaffected(parts_.watch)) {
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
    const NextEvent next = next_event(pending(), parts_.framing);
    if (parts_.board.deliver(parts_.watch, next.about)) out += next.bytes;
    sent_ += next.bytes.size();
  }
  return State::kOpen;
}

void FaultStream::on_ready(std::function<void()> ready) {
  parts_.inner->on_ready(ready);
  parts_.board.on_ready(parts_.watch, std::move(ready));
}

Time FaultStream::next_read() const {
  const Time change = parts_.board.next_change(parts_.watch);
  return held_ ? change : std::min(change, parts_.inner->next_read());
}

}  // namespace davit::sandbox
