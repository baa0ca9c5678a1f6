/// The configuration of one controller while it runs.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "host/object/object_space.hpp"
#include "host/object/parse.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Thread-safe.
class RunningConfig {
 public:
  /// The object of a configuration (JSON text of an object); of an empty text none.
  [[nodiscard]] static Result<ObjectRef> parse(ObjectSpace& space, std::string_view text) {
    if (text.empty()) return ObjectRef();
    Result<ObjectRef> parsed = parse_object(space, text);
    if (!parsed) return parsed.error().with_context("config");
    return parsed;
  }

  /// The object that counts, or none.
  [[nodiscard]] ObjectRef object() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return object_;
  }
  /// Its text.
  [[nodiscard]] std::string text() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return text_;
  }
  void set(std::string text, ObjectRef object) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    text_ = std::move(text);
    std::swap(object_, object);  // The former one is freed outside the lock.
  }

 private:
  mutable Mutex mutex_;
  std::string text_ GUARDED_BY(mutex_);
  ObjectRef object_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
