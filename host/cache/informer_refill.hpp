/// The two sources that an informer may have at a time.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "host/cache/follow_threads.hpp"
#include "host/cache/informer.hpp"

namespace davit::host {

/// A reflector that is driven and brings what it sees to its informer. It has its own thread if it
/// is always busy or no threads are shared. Internal to host/cache.
class Informer::Source final : public ReflectorTarget {
 public:
  Source(Informer& informer, ParseOptions parse, std::string known_version = {});
  /// Ends it and waits for that: not under the informer's lock.
  ~Source() override;

  [[nodiscard]] Status start();
  /// Lets it end, without waiting.
  void request_stop();
  /// Ends it and waits for that.
  void stop();
  [[nodiscard]] Reflector& reflector() { return reflector_; }

 private:
  Replacement begin_replace() override { return informer_.begin_replace(*this); }
  void replace(Replacement next, std::string_view resource_version) override {
    informer_.replace(*this, std::move(next), resource_version);
  }
  void apply(WatchType type, ObjectRef object) override {
    informer_.apply(*this, type, std::move(object));
  }
  void skip(WatchType type, SkippedObject object) override {
    informer_.skip(*this, type, std::move(object));
  }
  void bookmark(std::string_view resource_version) override {
    informer_.bookmark(*this, resource_version);
  }
  Comparison begin_comparison() override { return informer_.begin_comparison(*this); }
  void pause() override { informer_.pause(); }
  void verified() override { informer_.verified(*this); }
  void went_back(std::string_view known, std::string_view version) override {
    informer_.went_back(known, version);
  }
  void failed(const Status& status) override { informer_.failed(*this, status); }

  Informer& informer_;
  Reflector reflector_;
  std::unique_ptr<FollowThreads::Following> following_;  // Null: it has its own thread.
  std::jthread thread_;                                  // Last: it uses the others.
};

/// A second content on its way into an informer.
///
///   filling ──listed──▶ ready ──allow(), and it has seen what readers have──▶ serving
///
/// If it is destroyed before it serves, it leaves nothing behind; afterwards, it frees the previous
/// content. Waits for a thread, so it must not be destroyed under the informer's lock. Thread-safe,
/// except for the destructor.
class Informer::Refill {
 public:
  enum class State { kFilling, kReady, kServing };

  Refill(Informer& informer, RefillObserver& observer);
  Refill(const Refill&) = delete;
  Refill& operator=(const Refill&) = delete;
  ~Refill();

  [[nodiscard]] State state() const EXCLUDES(informer_.delivery_);
  /// Why it fills still, if something is wrong.
  [[nodiscard]] Status failure() const EXCLUDES(informer_.delivery_);
  /// Lets it take its place, now or as soon as it has seen enough.
  void allow() EXCLUDES(informer_.delivery_);

 private:
  friend class Informer;

  Informer& informer_;
  RefillObserver& observer_;
  // The informer's lock guards all members below.
  Store store_;  // The next content; after the exchange, the previous one.
  std::optional<std::vector<std::string>> projection_;
  std::vector<std::string> index_paths_;
  State state_ = State::kFilling;
  bool is_begun_ = false;
  bool is_allowed_ = false;
  Status failure_;
  std::unique_ptr<Source> source_;  // The one that does not serve, if there is one.
};

}  // namespace davit::host
