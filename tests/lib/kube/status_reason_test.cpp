#include "lib/kube/status_reason.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

TEST(StatusReasonTest, ANamedReasonDecidesWhateverTheHttpStatus) {
  EXPECT_EQ(code_of("AlreadyExists", 409), Code::kAlreadyExists);
  EXPECT_EQ(code_of("Expired", 500), Code::kExpired);
  EXPECT_EQ(code_of("StoreReadError", 0), Code::kUnavailable);
}

TEST(StatusReasonTest, AnUnknownReasonLeavesItToTheHttpStatus) {
  EXPECT_EQ(code_of("", 409), Code::kConflict);
  EXPECT_EQ(code_of("Teapot", 422), Code::kInvalid);
  EXPECT_EQ(code_of("", 502), Code::kUnavailable);
  EXPECT_EQ(code_of("", 418), Code::kInternal);
}

TEST(StatusReasonTest, AnHttpStatusHasOneUsualReason) {
  EXPECT_EQ(find_reason(409)->name, "Conflict");
  EXPECT_EQ(find_reason(410)->name, "Expired");
  EXPECT_EQ(find_reason(500)->name, "InternalError");
  EXPECT_EQ(find_reason(418), nullptr);
}

}  // namespace
}  // namespace davit
