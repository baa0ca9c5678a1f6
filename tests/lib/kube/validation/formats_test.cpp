#include "lib/kube/validation/formats.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

struct Case {
  const char* format;
  const char* text;
  bool holds;
};

constexpr Case kCases[] = {
    {"date-time", "2026-01-01T00:00:00Z", true},
    {"date-time", "2026-01-01", false},
    {"date", "2026-01-01", true},
    {"date", "2026-13-01", false},
    {"duration", "1h2m3.5s", true},
    {"duration", "1 hour", false},
    {"duration", "5", false},
    {"ipv4", "10.0.0.1", true},
    {"ipv4", "::1", false},
    {"ipv6", "::1", true},
    {"ipv6", "10.0.0.1", false},
    {"cidr", "10.0.0.0/8", true},
    {"cidr", "10.0.0.0/33", false},
    {"cidr", "10.0.0.0", false},
    {"mac", "01:23:45:67:89:ab", true},
    {"mac", "01:23:45:67:89", false},
    {"uuid", "01234567-89ab-cdef-0123-456789abcdef", true},
    {"uuid", "0123", false},
    {"email", "a@b.c", true},
    {"email", "a", false},
    {"byte", "YQ==", true},
    {"byte", "*", false},
    {"hostname", "a.b", true},
    {"hostname", "a b", false},
    {"no-such-format", "anything", true},
};

TEST(FormatsTest, HoldAsTheTableSays) {
  for (const Case& each : kCases) {
    EXPECT_EQ(has_format(each.format, each.text), each.holds) << each.format << ' ' << each.text;
  }
}

}  // namespace
}  // namespace davit
