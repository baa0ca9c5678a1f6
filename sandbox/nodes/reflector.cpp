#include "sandbox/nodes/reflector.hpp"

#include <charconv>
#include <utility>

namespace davit::sandbox {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// client-go's pause of a reflector, with a shorter start: a laptop's server comes back quickly.
constexpr BackoffOptions kPause{
    .initial = milliseconds(200), .factor = 2.0, .jitter = 0.5, .steps = 0, .longest = seconds(10)};
/// client-go's page size.
constexpr char kPageSize[] = "500";
/// client-go's shortest time of a watch, and how much is added at random.
constexpr Duration kWatchTime = std::chrono::minutes(5);
constexpr int kGone = 410;
/// Room for the largest object and what is around it.
constexpr std::size_t kLineBytesMax = std::size_t{16} << 20;

}  // namespace

std::string key_of(const Json& object) {
  return object.text_at({"metadata", "namespace"}) + '/' + object.text_at({"metadata", "name"});
}

std::uint64_t version_of(const Json& object) {
  const std::string& text = object.text_at({"metadata", "resourceVersion"});
  std::uint64_t version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

Reflector::Reflector(Seams seams, std::string path, Handlers handlers)
    : seams_(std::move(seams)),
      path_(std::move(path)),
      handlers_(std::move(handlers)),
      backoff_(kPause) {}

Time Reflector::step() {
  if (state_ == State::kBackingOff && seams_.clock.now() >= due_) {
    if (resource_version_.empty()) {
      list("");
    } else {
      watch();
    }
  }
  if (state_ == State::kWatching) drain();
  return state_ == State::kBackingOff ? due_ : Time::max();
}

void Reflector::list(const std::string& next_page) {
  state_ = State::kListing;
  if (next_page.empty()) listed_.clear();
  std::string target = path_ + "?limit=" + kPageSize;
  if (!next_page.empty()) target += "&continue=" + escaped(next_page);
  seams_.api.send({"GET", std::move(target), "", ""},
                  [this](const ApiResponse& response) { take_page(response); });
}

void Reflector::take_page(const ApiResponse& response) {
  if (!response.ok()) return back_off(response.text());
  Result<Json> page = parse_json(response.body);
  if (!page) return back_off(page.error().message());
  if (Json* items = page->find("items")) {
    for (Json& item : items->make_array()) {
      listed_.insert(key_of(item));
      announce(std::move(item));
    }
  }
  const std::string next = page->text_at({"metadata", "continue"});
  if (!next.empty()) return list(next);
  resource_version_ = page->text_at({"metadata", "resourceVersion"});
  end_list();
}

void Reflector::end_list() {
  for (auto it = known_.begin(); it != known_.end();) {
    if (listed_.contains(*it)) {
      ++it;
      continue;
    }
    const std::string gone = *it;
    it = known_.erase(it);
    handlers_.removed(gone);
  }
  listed_.clear();
  synced_ = true;
  backoff_.reset();
  watch();
}

void Reflector::watch() {
  state_ = State::kWatching;
  const auto time = std::chrono::duration_cast<seconds>(seams_.random.jitter(kWatchTime, 1.0));
  unread_.clear();
  stream_ = seams_.api.open(path_ + "?watch=true&allowWatchBookmarks=true&timeoutSeconds=" +
                            std::to_string(time.count()) + "&resourceVersion=" + resource_version_);
}

void Reflector::drain() {
  const std::size_t before = unread_.size();
  const ApiStream::State state = stream_->read(unread_);
  const int http_status = stream_->http_status();
  if (http_status == 200) {
    std::size_t begin = 0;
    std::size_t end = unread_.find('\n', before);
    for (; end != std::string::npos && state_ == State::kWatching;
         end = unread_.find('\n', begin)) {
      take_line(std::string_view(unread_).substr(begin, end - begin));
      begin = end + 1;
    }
    unread_.erase(0, begin);
  }
  if (state_ != State::kWatching) return;
  if (unread_.size() > kLineBytesMax) return back_off("an event is too large");
  if (state == ApiStream::State::kOpen) return;
  if (http_status == kGone) resource_version_.clear();
  // A stream that carried events and ended is the usual end of a watch, and the next begins soon.
  back_off(http_status == 200 ? ""
                              : "watch refused: " + std::to_string(http_status) + " " + unread_);
}

void Reflector::take_line(std::string_view line) {
  Result<Json> event = parse_json(line);
  if (!event) return back_off(event.error().message());
  const std::string type = event->get("type").text();
  Json* object = event->find("object");
  if (object == nullptr) return;
  if (type == "ERROR") return take_error(*object);
  resource_version_ = object->text_at({"metadata", "resourceVersion"});
  backoff_.reset();
  if (type == "BOOKMARK") return;
  if (type != "DELETED") return announce(std::move(*object));
  const std::string key = key_of(*object);
  if (known_.erase(key) > 0) handlers_.removed(key);
}

void Reflector::take_error(const Json& status) {
  if (status.get("code").integer_or(0) == kGone) resource_version_.clear();
  back_off(status.get("message").text());
}

void Reflector::announce(Json object) {
  known_.insert(key_of(object));
  handlers_.changed(std::move(object));
}

void Reflector::back_off(std::string_view why) {
  state_ = State::kBackingOff;
  stream_.reset();
  due_ = seams_.clock.now() + backoff_.next(seams_.random);
  if (!why.empty()) seams_.log.info(1, "Cannot follow", {{"path", path_}, {"err", why}});
}

}  // namespace davit::sandbox
