#include <algorithm>
#include <chrono>
#include <davit/queue.hpp>
#include <string>

namespace davit {

Again Again::after(Duration delay) {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(delay).count();
  return Again(static_cast<std::uint64_t>(std::max<std::int64_t>(ms, 1)));
}

void Queue::add(const Key& key) const { add_text(key.text()); }

void Queue::add(const ObjectView& object) const { add(object.key()); }

void Queue::add_after(const Key& key, Duration delay) const {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(delay).count();
  if (ms <= 0) return add(key);
  const std::string text = key.text();
  check(api_->queue->add_after(api_->call(), handle_, to_c(text), static_cast<std::uint64_t>(ms)),
        "add a key to a queue after a delay");
}

void Queue::add_sharded(const Key& key, std::string_view shard) const {
  const std::string text = key.text();
  check(api_->queue->add_sharded(api_->call(), handle_, to_c(text), to_c(shard)),
        "add a key to a queue with a shard");
}

void Queue::add_rate_limited(const Key& key) const {
  const std::string text = key.text();
  check(api_->queue->add_rate_limited(api_->call(), handle_, to_c(text)),
        "add a key to a queue after its back-off");
}

void Queue::forget(const Key& key) const {
  const std::string text = key.text();
  check(api_->queue->forget(api_->call(), handle_, to_c(text)), "end the back-off of a key");
}

std::uint32_t Queue::failures(const Key& key) const {
  const std::string text = key.text();
  return api_->queue->failures(api_->call(), handle_, to_c(text));
}

void Queue::add_text(std::string_view text) const {
  check(api_->queue->add(api_->call(), handle_, to_c(text)), "add a key to a queue");
}

void Queue::check(davit_code code, const char* what) {
  if (code != DAVIT_OK) detail::note_refusal(code, what);
}

}  // namespace davit
