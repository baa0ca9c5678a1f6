#include "host/object/list_splitter.hpp"

#include "host/object/api_status.hpp"
#include "host/object/parse.hpp"

namespace davit::host {

Status ListSplitter::feed(std::string_view chunk, const ItemSink& sink) {
  if (!failed_.ok()) return failed_;
  const char* at = chunk.data();
  const char* end = at + chunk.size();
  while (at < end) {
    if (state_ == State::kKey || state_ == State::kField || state_ == State::kItem) {
      at = scan(at, end, sink);
      if (!failed_.ok()) return failed_;
      continue;
    }
    at = skip_space(at, end);
    if (at == end) break;
    const Step next = step(*at);
    if (next == Step::kWrong) {
      offset_ += static_cast<std::uint64_t>(at - chunk.data());
      return fail(Code::kInvalid, std::string("has an unexpected '") + *at + "'");
    }
    if (next == Step::kTaken) ++at;
  }
  offset_ += chunk.size();
  return Status();
}

ListSplitter::Step ListSplitter::step(char c) {
  const auto go = [this](State state) {
    state_ = state;
    return Step::kTaken;
  };
  switch (state_) {
    case State::kStart:
      return c == '{' ? go(State::kFirstKey) : Step::kWrong;
    case State::kFirstKey:
      return c == '}' ? go(State::kEnd) : begin(State::kKey, c);
    case State::kNextKey:
      return begin(State::kKey, c);
    case State::kColon:
      return c == ':' ? go(State::kValue) : Step::kWrong;
    case State::kValue:
      return begin_value(c);
    case State::kFirstItem:
      return c == ']' ? go(State::kAfterValue) : begin(State::kItem, c);
    case State::kNextItem:
      return begin(State::kItem, c);
    case State::kAfterItem:
      if (c == ',') return go(State::kNextItem);
      return c == ']' ? go(State::kAfterValue) : Step::kWrong;
    case State::kAfterValue:
      if (c == ',') return go(State::kNextKey);
      return c == '}' ? go(State::kEnd) : Step::kWrong;
    default:
      return Step::kWrong;
  }
}

ListSplitter::Step ListSplitter::begin_value(char c) {
  if (key_ != "items") return begin(State::kField, c);
  // Go writes an empty list that was never made as null.
  if (c == 'n') return begin(State::kField, c);
  if (c != '[' || has_items_) return Step::kWrong;
  has_items_ = true;
  state_ = State::kFirstItem;
  return Step::kTaken;
}

ListSplitter::Step ListSplitter::begin(State state, char c) {
  constexpr std::string_view kFirst = "{[\"-0123456789tfn";
  if (state == State::kKey && c != '"') return Step::kWrong;
  if (kFirst.find(c) == std::string_view::npos) return Step::kWrong;
  state_ = state;
  scanner_.start(c);
  return Step::kBegin;
}

const char* ListSplitter::scan(const char* begin, const char* end, const ItemSink& sink) {
  const char* behind = scanner_.feed(begin, end);
  const std::string_view text(begin,
                              static_cast<std::size_t>((behind == nullptr ? end : behind) - begin));
  if (hold(text, behind)) {
    if (behind == nullptr) return end;
    end_text(text_.whole(text), sink);
  } else if (!failed_.ok() || behind == nullptr) {
    return end;
  } else {
    end_large_item();
  }
  text_.clear();
  return behind;
}

bool ListSplitter::hold(std::string_view text, const char* behind) {
  if (state_ == State::kField && !keeps_field()) return true;
  const bool is_item = state_ == State::kItem;
  const HeldText::Outcome outcome =
      text_.add(text, behind != nullptr, is_item ? large_.bytes_max : kFieldBytesMax,
                is_item && large_.skip != nullptr);
  if (outcome == HeldText::Outcome::kRefused) {
    (void)fail(Code::kInvalid,
               is_item ? "has an item of more than 64 MiB" : "has a field of more than 64 KiB");
  }
  return outcome == HeldText::Outcome::kHeld;
}

void ListSplitter::end_large_item() {
  ++item_count_;
  state_ = State::kAfterItem;
  failed_ = large_.skip(text_.passed_over().identity());
}

void ListSplitter::end_text(std::string_view text, const ItemSink& sink) {
  switch (state_) {
    case State::kKey:
      key_ = text.substr(1, text.size() - 2);
      state_ = State::kColon;
      return;
    case State::kItem:
      ++item_count_;
      state_ = State::kAfterItem;
      failed_ = sink(text);
      return;
    default:
      state_ = State::kAfterValue;
      end_field(text);
  }
}

bool ListSplitter::keeps_field() const {
  for (const std::string_view kept : {"kind", "apiVersion", "metadata", "items", "status",
                                      "message", "reason", "code", "details"}) {
    if (key_ == kept) return true;
  }
  return false;
}

void ListSplitter::end_field(std::string_view text) {
  if (!keeps_field()) return;
  if (key_ == "items") {
    if (text != "null") (void)fail(Code::kInvalid, "has items that are not an array");
    has_items_ = true;
    return;
  }
  if (key_ == "kind" && text == "\"Table\"") {
    (void)fail(Code::kUnsupported, "is a Table; ask for application/json");
    return;
  }
  if (head_.size() + key_.size() + text.size() > kFieldBytesMax) {
    (void)fail(Code::kInvalid, "has fields of more than 64 KiB together");
    return;
  }
  head_ += head_.empty() ? "{\"" : ",\"";
  head_.append(key_).append("\":").append(text);
}

Status ListSplitter::finish() {
  if (!failed_.ok()) return failed_;
  if (state_ != State::kEnd) return fail(Code::kUnavailable, "ended early");
  return failed_ = read_head();
}

Status ListSplitter::read_head() {
  ObjectSpace names;  // Only for this text, which is small and read once.
  Result<ObjectRef> head = parse_object(names, head_.empty() ? "{}" : head_ + "}");
  if (!head) return head.error().with_context("list body");
  const Value root = head->root();
  kind_ = root["kind"].string();
  api_version_ = root["apiVersion"].string();
  if (kind_ == "Status") return api_status(root);
  if (!has_items_) return fail(Code::kInvalid, "of kind \"" + kind_ + "\" has no items");
  resource_version_ = root["metadata"]["resourceVersion"].string();
  continue_token_ = root["metadata"]["continue"].string();
  remaining_items_ = root["metadata"]["remainingItemCount"].integer();
  return Status();
}

Status ListSplitter::fail(Code code, const std::string& what) {
  failed_ = Status(code, "list body " + what + " (offset " + std::to_string(offset_) + ")");
  return failed_;
}

}  // namespace davit::host
