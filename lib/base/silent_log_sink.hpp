/// A log sink that drops everything.
#pragma once

#include <span>
#include <string_view>

#include "lib/base/log.hpp"

namespace davit {

/// Drops every record, for parts whose failures reach the caller in another way. Thread-safe.
class SilentLogSink final : public LogSink {
 public:
  [[nodiscard]] int verbosity() const override { return -1; }
  void write(Severity, int, std::string_view, std::string_view, std::span<const LogPair>) override {
  }
  void flush() override {}
};

}  // namespace davit
