/// Projections of the in-memory cluster: which paths a controller may read.
#pragma once

#include <cstdint>
#include <davit/testing/json.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace davit::testing {

/// Path sets compiled to tries. A mask is a place in one: what davit_value.mask holds.
class Projections {
 public:
  static constexpr std::uint32_t kFull = 0;     ///< Everything below is readable.
  static constexpr std::uint32_t kNothing = 1;  ///< Nothing below is readable.

  /// `paths`: dots between members, [] for every element, ['key'] for one map key. A path includes
  /// what is below it.
  [[nodiscard]] std::uint32_t add(const std::vector<std::string>& paths) {
    const std::uint32_t root = make_node();
    for (const char* always : {"apiVersion", "kind", "metadata.name", "metadata.namespace",
                               "metadata.uid", "metadata.resourceVersion"}) {
      add_path(root, always);
    }
    for (const std::string& path : paths) add_path(root, path);
    return root;
  }

  /// The mask of a member below `mask`.
  [[nodiscard]] std::uint32_t member(std::uint32_t mask, std::string_view key) const {
    if (mask == kFull) return kFull;
    const auto& children = nodes_[mask];
    const auto found = children.find(std::string(key));
    return found == children.end() ? kNothing : found->second;
  }
  [[nodiscard]] std::uint32_t element(std::uint32_t mask) const { return member(mask, kElement); }

  /// Where a mask is: that of the projection's root, and the path from there with `member` at its
  /// end; for messages.
  struct Whereabouts {
    std::uint32_t root = kNothing;
    std::string path;
  };
  [[nodiscard]] Whereabouts whereabouts(std::uint32_t mask, std::string_view member) const {
    Whereabouts out{mask, joined("", member)};
    for (std::size_t above = kNothing + 1; above < nodes_.size(); ++above) {
      for (const auto& [step, child] : nodes_[above]) {
        if (child != out.root) continue;
        out = {static_cast<std::uint32_t>(above), joined(step, out.path)};
        above = kNothing;  // Looks for what this place is below of.
        break;
      }
    }
    return out;
  }

 private:
  static constexpr std::string_view kElement = "[]";

  static std::string joined(std::string_view step, std::string_view rest) {
    std::string out(step);
    if (step != kElement && step.find_first_of(".[]'") != step.npos) out = "['" + out + "']";
    if (step.empty() && rest.find_first_of(".[]'") != rest.npos)
      return "['" + std::string(rest) + "']";
    if (!out.empty() && !rest.empty() && rest.front() != '[') out += '.';
    return out.append(rest);
  }

  std::uint32_t make_node() {
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  void add_path(std::uint32_t node, std::string_view path) {
    while (!path.empty()) {
      const std::string step = take_step(path);
      std::uint32_t& child = nodes_[node].try_emplace(step, kNothing).first->second;
      if (child == kFull) return;  // Declared by a shorter path already.
      if (path.empty()) {
        child = kFull;
        return;
      }
      if (child != kNothing) {
        node = child;
        continue;
      }
      const std::uint32_t made = make_node();  // Invalidates `child`.
      nodes_[node][step] = made;
      node = made;
    }
  }

  /// A member name, a map key or "[]".
  static std::string take_step(std::string_view& path) {
    if (path.starts_with("['")) {
      const std::size_t end = path.find("']");
      const std::string step(path.substr(2, end - 2));
      path.remove_prefix(end == std::string_view::npos ? path.size() : end + 2);
      if (path.starts_with('.')) path.remove_prefix(1);
      return step;
    }
    std::size_t end = path.starts_with(kElement) ? kElement.size() : path.find_first_of(".[");
    if (end == std::string_view::npos) end = path.size();
    const std::string step(path.substr(0, end));
    path.remove_prefix(end);
    if (path.starts_with('.')) path.remove_prefix(1);
    return step;
  }

  // Children by step. The first two stand for kFull and kNothing.
  std::vector<std::map<std::string, std::uint32_t>> nodes_{2};
};

}  // namespace davit::testing
