#include "plugins/cloud/node_patch.hpp"

#include <cstdint>
#include <davit/mutant.hpp>
#include <utility>

namespace davit::cloud {

Status patch_node(const Context& cluster, const Node& cached, const NodeBody& body,
                  const NodePatchTries& tries) {
  const Client client = cluster.client();
  Node node = cached;
  Status last;
  for (int attempt = 0; attempt < tries.most; ++attempt) {
    if (attempt != 0) {
      const auto more = static_cast<std::int64_t>(cluster.random() %
                                                  static_cast<std::uint64_t>(tries.pause.count()));
      const Status paused = cluster.pause(tries.pause + std::chrono::milliseconds(more));
      if (!paused.ok()) return paused;
      const Result<Node> live = client.get<Node>(cached.key());
      if (!live) return live.error();
      if (live->uid() != cached.uid() && !mutant("facts-of-a-namesake")) {
        return {Code::kNotFound, "another Node has its name"};
      }
      node = *live;
    }
    std::optional<std::string> text = body(node);
    if (!text) return {};
    last = client
               .patch<Node>(cached.key(), PatchType::kStrategic, *std::move(text),
                            {.answer = Answer::kMetadata})
               .error();
    if (last.code() != Code::kConflict) return last;
  }
  return last;
}

}  // namespace davit::cloud
