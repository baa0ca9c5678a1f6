/// The start: rebuilds the state from nodes, attachments and pods.
///
/// Rule: docs/spec/attachdetach.md, 7.
#pragma once

#include <davit/controller.hpp>
#include <davit/queue.hpp>
#include <davit/result.hpp>
#include <mutex>
#include <string>
#include <vector>

#include "plugins/attachdetach/parts.hpp"

namespace davit::attachdetach {

/// Invariant: no sync makes a decision before all nodes, attachments and pods have been read;
/// otherwise volumes that no pod seems to need would be detached.
///
/// Hands over when volumes became unwanted, when operations began, their pauses, and which volumes
/// were reported as busy. Thread-safe.
class Population final : public HandedState {
 public:
  explicit Population(const Parts& parts) : parts_(parts) {}

  /// Does it once; throws NoValue if a cache cannot be read, and is tried again by the next sync.
  void ensure();
  [[nodiscard]] bool is_done() const;

  [[nodiscard]] std::uint32_t version() const override { return 1; }
  void write(JsonWriter& out) const override;
  [[nodiscard]] Status read(std::uint32_t version, Value state) override;

 private:
  struct Handed {
    std::string volume;
    std::string node;
    Pair pair;
  };

  void adopt_all() const;
  void take_over(const Handed& handed) const;

  const Parts& parts_;
  mutable std::mutex mutex_;
  bool is_done_ = false;
  std::vector<Handed> handed_;
};

}  // namespace davit::attachdetach
