#include "host/plugin/slot_table.hpp"

#include <gtest/gtest.h>

#include <string>

namespace davit::host {
namespace {

using Texts = SlotTable<std::string, HandleKind::kObject>;

TEST(SlotTableTest, EntryIsFoundByItsHandleUntilItIsTakenOut) {
  Texts table;
  const davit_handle one = table.insert("one");
  const davit_handle two = table.insert("two");
  EXPECT_NE(one, 0u);
  EXPECT_NE(one, two);
  EXPECT_EQ(table.find(one), "one");
  EXPECT_EQ(table.size(), 2u);

  EXPECT_EQ(table.erase(one), "one");

  EXPECT_EQ(table.find(one), std::nullopt);
  EXPECT_EQ(table.erase(one), std::nullopt) << "taken out only once";
  EXPECT_EQ(table.find(two), "two");
  EXPECT_EQ(table.size(), 1u);
}

TEST(SlotTableTest, StaleHandleDoesNotFindTheNextEntryOfItsSlot) {
  Texts table;
  const davit_handle old = table.insert("old");
  table.erase(old);

  const davit_handle fresh = table.insert("fresh");

  EXPECT_EQ(static_cast<std::uint32_t>(old), static_cast<std::uint32_t>(fresh)) << "one slot";
  EXPECT_NE(old, fresh);
  EXPECT_EQ(table.find(old), std::nullopt);
  EXPECT_EQ(table.erase(old), std::nullopt);
  EXPECT_FALSE(table.replace(old, "other"));
  EXPECT_EQ(table.find(fresh), "fresh");
}

TEST(SlotTableTest, HandleOfAnotherKindFindsNothing) {
  Texts objects;
  SlotTable<int, HandleKind::kTimer> timers;
  const davit_handle object = objects.insert("one");
  const davit_handle timer = timers.insert(1);

  EXPECT_EQ(objects.find(timer), std::nullopt);
  EXPECT_EQ(timers.find(object), std::nullopt);
}

TEST(SlotTableTest, NumbersThatWereNeverHandlesFindNothing) {
  Texts table;
  const davit_handle one = table.insert("one");
  for (const davit_handle each : {davit_handle{0}, one + 1, one - 1, ~one, ~davit_handle{0}}) {
    EXPECT_EQ(table.find(each), std::nullopt) << each;
  }
}

TEST(SlotTableTest, ReplacedEntryKeepsItsHandle) {
  Texts table;
  const davit_handle one = table.insert("one");

  EXPECT_TRUE(table.replace(one, "other"));

  EXPECT_EQ(table.find(one), "other");
  EXPECT_EQ(table.size(), 1u);
}

}  // namespace
}  // namespace davit::host
