/// The sync of a node: writes the volumes that are attached to it.
///
/// Rule: docs/spec/attachdetach.md, 9.
#pragma once

#include <cstdint>
#include <davit/queue.hpp>
#include <davit/result.hpp>
#include <davit/write_window.hpp>
#include <string>

#include "plugins/attachdetach/parts.hpp"
#include "plugins/attachdetach/populate.hpp"

namespace davit::attachdetach {

/// Writes the whole list whenever the server's differs. Changes that come close
/// together are one write.
class NodeReport {
 public:
  NodeReport(const Parts& parts, Population& population)
      : parts_(parts), population_(population), window_(std::chrono::milliseconds(100)) {}

  [[nodiscard]] Result<Again> operator()(const Key& key);

 private:
  /// The server's list is what it was to be at the decision `at`.
  void confirm(const std::string& node, std::uint64_t at) const;
  void look_at_pods(const std::string& node) const;

  const Parts& parts_;
  Population& population_;
  WriteWindow window_;
};

}  // namespace davit::attachdetach
