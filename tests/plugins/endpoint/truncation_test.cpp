#include "plugins/endpoint/truncation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace davit::endpoint {
namespace {

struct TruncationCase {
  const char* name;
  std::vector<std::size_t> ready;
  std::vector<std::size_t> not_ready;
  std::vector<std::size_t> ready_left;
  std::vector<std::size_t> not_ready_left;
};

Subsets filled(const std::vector<std::size_t>& ready, const std::vector<std::size_t>& not_ready) {
  Subsets out(ready.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].ready.resize(ready[i]);
    out[i].not_ready.resize(not_ready[i]);
  }
  return out;
}

TEST(TruncationTest, SharesOutAsTheSpecificationsExamples) {
  const TruncationCase cases[] = {
      {"NotReadyOnes",
       {90, 110, 50, 10, 20},
       {101, 200, 200, 201, 298},
       {90, 110, 50, 10, 20},
       {73, 144, 144, 145, 214}},
      {"ReadyOnes",
       {205, 400, 402, 400, 693},
       {100, 200, 200, 200, 300},
       {98, 191, 192, 191, 328},
       {0, 0, 0, 0, 0}},
      {"ExactlyAThousandIsAllowed", {500}, {500}, {500}, {500}},
  };
  for (const TruncationCase& each : cases) {
    Subsets subsets = filled(each.ready, each.not_ready);
    static_cast<void>(truncate(subsets));
    for (std::size_t i = 0; i < subsets.size(); ++i) {
      EXPECT_EQ(subsets[i].ready.size(), each.ready_left[i]) << each.name << ' ' << i;
      EXPECT_EQ(subsets[i].not_ready.size(), each.not_ready_left[i]) << each.name << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace davit::endpoint
