// The order in which devices are tried, and how long the search for them may take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "tests/nodes/device_cases.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;

std::string request(const std::string& name, int count, const std::string& more = "") {
  return R"({"name":")" + name + R"(","exactly":{"deviceClassName":"any","count":)" +
         std::to_string(count) + more + "}}";
}

std::string devices(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    out += (i == 0 ? "" : ",") +
           device_json("gpu-" + std::to_string(i),
                       R"("attributes":{"index":{"int":)" + std::to_string(i) + "}}");
  }
  return out;
}

void add_slice(DeviceCase& c, const std::string& name, const std::string& driver,
               const std::string& device, const std::string& place = R"("nodeName":"n1")",
               int count = 1) {
  EXPECT_NE(
      c.view.put(
          DeviceKind::kSlice,
          json_literal(R"({"metadata":{"name":")" + name + R"("},"spec":{"driver":")" + driver +
                       R"(","pool":{"name":"p","generation":1,"resourceSliceCount":)" +
                       std::to_string(count) + "}," + place + R"(,"devices":[)" + device + "]}}")),
      DeviceChange::kNone);
}

TEST(DeviceOrderTest, PoolsAreTriedByDriverAndNotByDriverAndPoolInOneText) {
  DeviceCase c;
  add_slice(c, "s1", "a-b.io", device_json("second"));
  add_slice(c, "s2", "a.io", device_json("third"));
  add_slice(c, "s3", "a", device_json("first"));
  c.add_count("c", 3);
  EXPECT_THAT(c.devices(), ElementsAre("r=first", "r=second", "r=third"));
}

TEST(DeviceOrderTest, SlicesOfAPoolAreTriedByNameWhereverTheyAre) {
  DeviceCase c;
  add_slice(c, "b", "d.io", device_json("of-the-node"), R"("nodeName":"n1")", 3);
  add_slice(c, "a", "d.io", device_json("of-all"), R"("allNodes":true)", 3);
  add_slice(c, "c", "d.io", device_json("of-all-too"), R"("allNodes":true)", 3);
  c.add_count("c", 3);
  EXPECT_THAT(c.devices(), ElementsAre("r=of-all", "r=of-the-node", "r=of-all-too"));
}

TEST(DeviceOrderTest, PoolsWithBindingConditionsAreTriedLast) {
  DeviceCase c;
  add_slice(c, "s1", "a.io",
            device_json("waits", R"("bindingConditions":["x"])") + "," + device_json("last"));
  add_slice(c, "s2", "b.io", device_json("first"));
  c.add_count("c", 2);
  EXPECT_THAT(c.devices(), ElementsAre("r=first", "r=waits"));
}

TEST(DeviceOrderTest, ANewerGenerationOnAnotherNodeCountsUntilItIsGone) {
  DeviceCase c;
  add_slice(c, "s", "d.io", device_json("old"), R"("nodeName":"n1")", 2);
  const std::string newer =
      R"({"metadata":{"name":"t","resourceVersion":"1"},"spec":{"driver":"d.io","pool":{"name":)"
      R"("p","generation":2,"resourceSliceCount":1},"nodeName":"n2","devices":[]}})";
  c.view.put(DeviceKind::kSlice, json_literal(newer));
  c.add_count("c", 1);
  EXPECT_THAT(c.devices(), ElementsAre(kRefused));
  c.view.drop(DeviceKind::kSlice, "t");
  add_slice(c, "u", "d.io", device_json("other"), R"("nodeName":"n2")", 2);
  EXPECT_THAT(c.devices(), ElementsAre("r=old"));
}

TEST(DeviceSearchTest, ARequestThatNothingServesEndsTheSearchAtOnce) {
  DeviceCase c;
  c.add_slice("s", devices(60));
  c.add_claim("c", request("r1", 20) + "," +
                       request("r2", 1, selector(R"(device.attributes["d.io"].index == 99)")));
  EXPECT_THAT(c.devices(), ElementsAre(kRefused)) << "instead of all choices of 20 out of 60";
}

TEST(DeviceSearchTest, TooFewDevicesOfOneKindEndTheSearchAtOnce) {
  DeviceCase c;
  c.add_slice("s", devices(50));
  c.add_count("c1", 30);
  c.add_count("c2", 30);
  EXPECT_THAT(c.devices(), ElementsAre(kRefused));
}

TEST(DeviceSearchTest, ManyAlternativesThatFailAreNotCombined) {
  DeviceCase c;
  c.add_slice("s", devices(40));
  std::string alternatives;
  for (int i = 0; i < 8; ++i) {
    alternatives += std::string(i == 0 ? "" : ",") + R"({"name":"a)" + std::to_string(i) +
                    R"(","deviceClassName":"any","count":1})";
  }
  std::string requests;
  for (int i = 0; i < 8; ++i) {
    requests +=
        R"({"name":"r)" + std::to_string(i) + R"(","firstAvailable":[)" + alternatives + "]},";
  }
  c.add_claim("c",
              requests + request("never", 1, selector(R"(device.attributes["d.io"].index == 99)")));
  EXPECT_THAT(c.devices(), ElementsAre(kRefused));
}

TEST(DeviceSearchTest, AClaimThatWouldGetTooManyDevicesIsNotSearched) {
  DeviceCase c;
  c.add_slice("s", devices(60));
  c.add_claim("c", R"({"name":"r0","firstAvailable":[{"name":"a","deviceClassName":"any",)"
                   R"("count":14},{"name":"b","deviceClassName":"any","count":8}]},)" +
                       request("r1", 10) + "," + request("r2", 12));
  const std::vector<std::string> got = c.devices();
  ASSERT_EQ(got.size(), 30U);
  EXPECT_EQ(got.front(), "r0/b=gpu-0");
}

TEST(DeviceSearchTest, AnAttemptOnManyNodesEndsToo) {
  DeviceCase c;
  c.add_slice("s", devices(60), R"("allNodes":true)");
  c.add_count("c1", 4);
  c.add_count("c2", 2, "", R"(,"constraints":[{"matchAttribute":"d.io/index"}])");
  std::vector<const Json*> claims;
  for (const Json& each : c.claims) claims.push_back(&each);
  DeviceQuestion question{c.view, c.selectors, [](const std::string&) { return false; }, c.shares,
                          *c.random};
  question.steps = 990'000;
  for (int i = 0; i < 1000; ++i) {
    c.node.name = "n" + std::to_string(i);
    const Result<DeviceChoice> choice = allocate_devices(question, claims, c.node);
    ASSERT_FALSE(choice);
    EXPECT_EQ(choice.error().code(), Code::kCancelled);
    EXPECT_EQ(choice.error().message(),
              "node " + c.node.name + ": timed out trying to allocate devices");
  }
  EXPECT_LT(question.steps, 1'010'000);
}

/// A search without any shortcut, for devices and requests with numbers from 0 to 2.
struct PlainSearch {
  struct Wish {
    std::set<int> kinds;
    std::size_t count = 1;
    bool same_group = false;  // All devices of such wishes of one claim are of one group.
    int claim = 0;
  };
  struct Device {
    int kind = 0;
    int group = 0;
  };

  /// The devices of all wishes, in their order.
  std::optional<std::vector<std::size_t>> run() {
    return place(0, 0, 0) ? std::optional(placed) : std::nullopt;
  }

  bool place(std::size_t wish, std::size_t done, std::size_t first) {
    if (wish == wishes.size()) return true;
    if (done == wishes[wish].count) return place(wish + 1, 0, 0);
    for (std::size_t i = first; i < devices.size(); ++i) {
      if (!fits(wish, i)) continue;
      placed.push_back(i);
      owners.push_back(wish);
      if (place(wish, done + 1, i + 1)) return true;
      placed.pop_back();
      owners.pop_back();
    }
    return false;
  }

  bool fits(std::size_t wish, std::size_t device) const {
    if (!wishes[wish].kinds.contains(devices[device].kind)) return false;
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (placed[i] == device) return false;
      const Wish& other = wishes[owners[i]];
      if (wishes[wish].same_group && other.same_group && other.claim == wishes[wish].claim &&
          devices[placed[i]].group != devices[device].group) {
        return false;
      }
    }
    return true;
  }

  std::vector<Device> devices;
  std::vector<Wish> wishes;
  std::vector<std::size_t> placed;
  std::vector<std::size_t> owners;
};

/// The same question as DeviceCase has it.
void ask(const PlainSearch& plain, DeviceCase& c) {
  std::string all;
  for (std::size_t i = 0; i < plain.devices.size(); ++i) {
    all += (i == 0 ? "" : ",") +
           device_json(std::to_string(i),
                       R"("attributes":{"kind":{"int":)" + std::to_string(plain.devices[i].kind) +
                           R"(},"group":{"int":)" + std::to_string(plain.devices[i].group) + "}}");
  }
  c.add_slice("s", all);
  for (int claim = 0; claim < 2; ++claim) {
    std::string requests;
    std::string grouped;
    for (std::size_t i = 0; i < plain.wishes.size(); ++i) {
      const PlainSearch::Wish& wish = plain.wishes[i];
      if (wish.claim != claim) continue;
      std::string kinds;
      for (int kind : wish.kinds) kinds += (kinds.empty() ? "" : ",") + std::to_string(kind);
      const std::string name = "r" + std::to_string(i);
      requests += (requests.empty() ? "" : ",") +
                  request(name, static_cast<int>(wish.count),
                          selector(R"(device.attributes["d.io"].kind in [)" + kinds + "]"));
      if (wish.same_group) grouped += (grouped.empty() ? "\"" : ",\"") + name + "\"";
    }
    if (requests.empty()) continue;
    c.add_claim("c" + std::to_string(claim), requests,
                grouped.empty() ? ""
                                : R"(,"constraints":[{"requests":[)" + grouped +
                                      R"(],"matchAttribute":"d.io/group"}])");
  }
}

TEST(DeviceSearchTest, ShortcutsFindWhatASearchWithoutThemFinds) {
  std::mt19937 random(36);
  const auto draw = [&random](int below) { return static_cast<int>(random() % below); };
  int served = 0;
  constexpr int kCases = 400;
  for (int i = 0; i < kCases; ++i) {
    PlainSearch plain;
    for (int n = 4 + draw(6); n > 0; --n) plain.devices.push_back({draw(3), draw(2)});
    const int first = 1 + draw(3);
    for (int n = 0; n < first + 1 + draw(2); ++n) {
      PlainSearch::Wish wish;
      wish.kinds.insert(draw(3));
      if (draw(2) == 0) wish.kinds.insert(draw(3));
      wish.count = static_cast<std::size_t>(1 + draw(3));
      wish.same_group = draw(3) == 0;
      wish.claim = n < first ? 0 : 1;
      plain.wishes.push_back(wish);
    }
    DeviceCase c;
    ask(plain, c);
    std::vector<std::string> wanted = {kRefused};
    if (const auto found = plain.run()) {
      ++served;
      wanted.clear();
      for (std::size_t each = 0; each < found->size(); ++each) {
        wanted.push_back("r" + std::to_string(plain.owners[each]) + "=" +
                         std::to_string((*found)[each]));
      }
    }
    ASSERT_EQ(c.devices(), wanted) << "case " << i;
  }
  EXPECT_GT(served, kCases / 12);
  EXPECT_LT(served, kCases * 7 / 8);
}

}  // namespace
}  // namespace davit::sandbox
