#include "host/plugin/call_slots.hpp"

#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "host/plugin/guard.hpp"

namespace davit::host {
namespace {

static_assert(std::is_trivially_destructible_v<CallSlots>);
constinit CallSlots all_slots;

/// Null without memory.
CallSlot* make_slot() {
  CallSlot* const made = shielded([] { return std::make_unique<CallSlot>().release(); },
                                  static_cast<CallSlot*>(nullptr), [](std::string_view) {});
  if (made == nullptr) return nullptr;
  made->call.host = made;
  made->sink.size = sizeof(davit_sink);
  made->sink.self = made;
  return made;
}

constexpr std::array<std::string_view, kRefusals> kRefusalNames = {"ended", "thread", "phase"};

}  // namespace

std::string_view to_string(Refusal why) { return kRefusalNames[static_cast<std::size_t>(why)]; }

struct CallSlots::Author {
  Author(std::string_view plugin, std::string_view controller, Author* before)
      : author(plugin, controller), next(before) {}

  CallAuthor author;
  Author* const next;
};

CallSlots& call_slots() { return all_slots; }

CallSlot& CallSlots::take() {
  {
    MutexLock lock(mutex_);
    if (idle_ > kRest) return take_oldest();
  }
  if (CallSlot* const made = make_slot()) return *made;
  MutexLock lock(mutex_);
  if (idle_ == 0) throw std::bad_alloc();
  return take_oldest();
}

CallSlot& CallSlots::take_oldest() {
  CallSlot& taken = *oldest_;
  oldest_ = std::exchange(taken.next_idle, nullptr);
  if (oldest_ == nullptr) newest_ = nullptr;
  --idle_;
  return taken;
}

void CallSlots::give_back(CallSlot& slot) {
  MutexLock lock(mutex_);
  (newest_ == nullptr ? oldest_ : newest_->next_idle) = &slot;
  newest_ = &slot;
  ++idle_;
}

CallAuthor& CallSlots::author(std::string_view plugin, std::string_view controller) {
  MutexLock lock(mutex_);
  for (Author* each = authors_; each != nullptr; each = each->next) {
    if (each->author.plugin() == plugin && each->author.controller() == controller) {
      return each->author;
    }
  }
  authors_ = std::make_unique<Author>(plugin, controller, authors_).release();
  return authors_->author;
}

std::vector<CallAuthor*> CallSlots::authors() {
  std::vector<CallAuthor*> all;
  MutexLock lock(mutex_);
  for (Author* each = authors_; each != nullptr; each = each->next) all.push_back(&each->author);
  return all;
}

std::vector<RefusedCalls> RefusalReader::take() {
  std::vector<RefusedCalls> taken;
  const std::vector<CallAuthor*> authors = call_slots().authors();
  MutexLock lock(mutex_);
  for (const CallAuthor* const author : authors) {
    auto& seen = seen_[author];
    for (const Refusal why : {Refusal::kEnded, Refusal::kThread, Refusal::kPhase}) {
      const std::uint64_t all = author->refusals(why);
      const std::uint64_t before = std::exchange(seen[static_cast<std::size_t>(why)], all);
      if (all > before) {
        taken.push_back({author->plugin(), author->controller(), why, all - before});
      }
    }
  }
  return taken;
}

}  // namespace davit::host
