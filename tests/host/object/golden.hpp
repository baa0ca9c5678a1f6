/// Recorded responses of a real API server, from tests/golden/object/.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace davit::host {

inline std::string golden(const std::string& name) {
  std::ifstream file(std::string(DAVIT_GOLDEN_DIR) + "/object/" + name, std::ios::binary);
  EXPECT_TRUE(file.good()) << "missing golden file " << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace davit::host
