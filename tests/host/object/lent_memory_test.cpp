#include "host/object/lent_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/object/object.hpp"
#include "host/object/parse.hpp"
#include "lib/base/unique_fd.hpp"

namespace davit::host {
namespace {

/// Whether the kernel can read the byte; asking it costs no crash.
bool is_readable(const void* address) {
  int ends[2] = {-1, -1};
  if (::pipe(ends) != 0) return false;
  const UniqueFd from(ends[0]);
  const UniqueFd to(ends[1]);
  return ::write(to.get(), address, 1) == 1;
}

TEST(LentMemoryTest, CannotBeReadAfterItWasGivenBack) {
  const auto memory = LentMemory::open();
  ASSERT_TRUE(memory);
  void* const first = (*memory)->take(10'000);
  void* const second = (*memory)->take(1);
  ASSERT_TRUE(is_readable(first));
  (*memory)->give_back(first, 10'000);
  EXPECT_FALSE(is_readable(first));
  EXPECT_FALSE(is_readable(static_cast<char*>(first) + 9'999));
  EXPECT_TRUE(is_readable(second));
  EXPECT_TRUE((*memory)->owns(first));
  EXPECT_FALSE((*memory)->owns(memory->get()));
}

TEST(LentMemoryTest, CopyOfAnObjectEndsWithItsLastShare) {
  const auto memory = LentMemory::open();
  ASSERT_TRUE(memory);
  ObjectSpace space;
  space.set_debugging({.lent = memory->get()});
  const auto original = parse_object(space, R"({"metadata":{"name":"web"},"spec":{"a":[1,2]}})");
  ASSERT_TRUE(original);
  ObjectRef copy = original->lent_copy(**memory);
  EXPECT_TRUE(copy.root() == original->root());
  EXPECT_FALSE((*memory)->owns(original->get()));
  const Object* const at = copy.get();
  ObjectRef retained = ObjectRef::from(copy.root().raw);
  copy = ObjectRef();
  EXPECT_TRUE(is_readable(at)) << "a share is left";
  retained = ObjectRef();
  EXPECT_FALSE(is_readable(at));
}

TEST(LentMemoryTest, ObjectIsSharedWhenTheMemoryIsUsedUp) {
  const auto memory = LentMemory::open();
  ASSERT_TRUE(memory);
  constexpr std::size_t kAlmostAll = (std::size_t{512} << 20) - 4096;
  ASSERT_NE((*memory)->take(kAlmostAll), nullptr);
  ASSERT_NE((*memory)->take(1), nullptr);
  ASSERT_EQ((*memory)->take(1), nullptr);
  ObjectSpace space;
  const auto original = parse_object(space, "{}");
  ASSERT_TRUE(original);
  EXPECT_TRUE(original->lent_copy(**memory) == *original);
}

}  // namespace
}  // namespace davit::host
