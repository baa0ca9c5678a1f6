#include "sandbox/kinds/conversion.hpp"

#include <gtest/gtest.h>

#include "tests/sandbox/kinds/cell_cases.hpp"

namespace davit::sandbox {
namespace {

TEST(ConversionTest, TablesShowBothFormsAlike) {
  const Json event = cells_of("events.k8s.io", "events", R"({"apiVersion":"events.k8s.io/v1",
      "regarding":{"kind":"Pod","name":"p"},"note":"m","type":"Normal","reason":"R",
      "eventTime":"2026-01-01T01:59:50.000000Z","reportingController":"c"})");
  const Json autoscaler = cells_of("autoscaling", "horizontalpodautoscalers",
                                   R"({"apiVersion":"autoscaling/v1",
      "spec":{"scaleTargetRef":{"kind":"Deployment","name":"d"},"minReplicas":1,"maxReplicas":3,
              "targetCPUUtilizationPercentage":80}})");

  EXPECT_EQ(to_text(event), R"(["10s","Normal","R","pod/p","","c","m","10s",1,"x"])");
  EXPECT_EQ(to_text(autoscaler), R"(["x","Deployment/d","cpu: <unknown>/80%","1",3,0,"60m"])");
}

}  // namespace
}  // namespace davit::sandbox
