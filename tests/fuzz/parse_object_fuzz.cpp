/// Any bytes are either refused or become an object that reads, compares and prints consistently.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/object/metadata.hpp"
#include "host/object/parse.hpp"
#include "lib/base/assert.hpp"

namespace {
using davit::Result;
using namespace davit::host;

void visit(Value value, int& budget) {
  if (--budget < 0) return;
  (void)value.integer();
  (void)value.boolean();
  (void)value.string();
  std::size_t seen = 0;
  value.each([&](Value element) {
    ++seen;
    visit(element, budget);
  });
  value.each_member([&](std::string_view key, Value member) {
    ++seen;
    DAVIT_ASSERT(value[key].raw.node == member.raw.node);
    visit(member, budget);
  });
  DAVIT_ASSERT(seen == value.count());
}

/// Everything at and below `value` that a mask shows must be the same in both objects.
void compare_masked(Value full, Value kept) {
  DAVIT_ASSERT(full.kind() == kept.kind());
  DAVIT_ASSERT(full.raw.mask == kept.raw.mask);
  if (full.raw.mask == kFullMask) {
    DAVIT_ASSERT(full == kept);
    return;
  }
  DAVIT_ASSERT(full.count() == kept.count());
  for (std::size_t i = 0; i < full.count() && i < 8; ++i) compare_masked(full.at(i), kept.at(i));
  for (const char* key : {"metadata", "name", "labels", "spec", "containers", "status", "a", "b"}) {
    if (full[key] || kept[key]) compare_masked(full[key], kept[key]);
  }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ObjectSpace space;
  Parser parser(space);
  const std::vector<std::string> paths = {"metadata.labels", "spec.containers[].name", "status.a",
                                          "a[]", "b.a.b"};
  const Result<Mask> mask = space.add_keep_projection(paths);
  DAVIT_ASSERT(mask);

  const Result<ObjectRef> kept = parser.parse(text, {.keep_mask = *mask});
  const Result<ObjectRef> full = parser.parse(text);
  if (!full) return 0;  // A projection may accept what is wrong only in places that it skips.
  DAVIT_ASSERT(kept);
  (void)metadata(**full);
  (void)controller_uid(**full);
  int budget = 2000;
  visit(full->root(), budget);
  compare_masked(full->root(*mask), kept->root(*mask));

  const std::string json = full->root().json();
  const Result<ObjectRef> again = parser.parse(json);
  DAVIT_ASSERT(again);
  DAVIT_ASSERT(again->root() == full->root());
  DAVIT_ASSERT(again->root().hash() == full->root().hash());
  DAVIT_ASSERT(again->root().json() == json);
  return 0;
}
