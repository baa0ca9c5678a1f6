#include "host/why/why_request.hpp"

#include <gtest/gtest.h>

namespace davit::host {
namespace {

TEST(WhyRequestTest, QueryHasTheObjectItsNamespaceAndTheForm) {
  const WhyRequest request =
      why_request_of_query("object=deploy%2Fweb&namespace=shop&output=timeline");

  EXPECT_EQ(request.object, "deploy/web");
  EXPECT_EQ(request.ns, "shop");
  EXPECT_EQ(request.output, WhyRequest::Output::kTimeline);
}

TEST(WhyRequestTest, EmptyQueryNamesNoObjectInTheDefaultNamespace) {
  const WhyRequest request = why_request_of_query("");

  EXPECT_EQ(request.object, "");
  EXPECT_EQ(request.ns, "default");
  EXPECT_EQ(request.output, WhyRequest::Output::kText);
}

TEST(WhyRequestTest, MalformedAndUnknownPairsAreLeftOut) {
  const WhyRequest request = why_request_of_query(
      "object=po/a&object=po/b%zz&namespace=&namespace=x;y&other=1&output=xml");

  EXPECT_EQ(request.object, "po/a");
  EXPECT_EQ(request.ns, "default");
  EXPECT_EQ(request.output, WhyRequest::Output::kText);
}

}  // namespace
}  // namespace davit::host
