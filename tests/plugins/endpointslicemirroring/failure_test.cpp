/// Failures, configuration and wrong content: rows EM34, EM35 and EM40.
#include "tests/plugins/endpointslicemirroring/fixture.hpp"

namespace davit::endpointslicemirroring {
namespace {

TEST_F(MirroringTest, EM34_TheEndOfANamespaceIsNoFailure) {
  start();
  add_service();
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "endpointslices",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .causes = {"NamespaceTerminating"},
                      .times = testing::Fault::kAlways});
  add_endpoints();
  cluster_.advance(10s);
  EXPECT_EQ(count(Verb::kCreate), 1);
  EXPECT_TRUE(cluster_.syncs().back().ok());
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(MirroringTest, EM35_ARefusedSliceIsTriedSixteenTimes) {
  start();
  add_service();
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "endpointslices",
                      .http_status = 422,
                      .reason = "Invalid",
                      .message = "no",
                      .times = testing::Fault::kAlways});
  add_endpoints();
  EXPECT_EQ(count(Verb::kCreate), 1);
  cluster_.advance(127s + 1ms);
  EXPECT_EQ(count(Verb::kCreate), 8);
  cluster_.advance(100s);
  EXPECT_EQ(count(Verb::kCreate), 9);
  cluster_.advance(1h);
  EXPECT_EQ(count(Verb::kCreate), 16);
  EXPECT_EQ(cluster_.syncs().back().error, "failed to create EndpointSlice for Endpoints t/s: no");
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(MirroringTest, AFailedUpdateIsRepeated) {
  mirror_one();
  const std::string name = slice_name();
  cluster_.fail_next({.verb = Verb::kUpdate, .resource = "endpointslices"});
  set_subsets(R"([{"addresses":[{"ip":"10.0.0.2"}],"ports":[{"port":80,"protocol":"TCP"}]}])");
  EXPECT_EQ(cluster_.syncs().back().error,
            "failed to update " + name + " EndpointSlice for Endpoints t/s: injected failure");
  cluster_.advance(1s);
  EXPECT_EQ(addresses_of(slice()), "10.0.0.2");
}

TEST_F(MirroringTest, AFailedDeletionIsRepeated) {
  mirror_one();
  const std::string name = slice_name();
  cluster_.fail_next({.verb = Verb::kDelete, .resource = "endpointslices"});
  set_subsets("[]");
  EXPECT_EQ(cluster_.syncs().back().error,
            "failed to delete " + name + " EndpointSlice for Endpoints t/s: injected failure");
  cluster_.advance(1s);
  EXPECT_THAT(slices(), IsEmpty());
}

TEST_F(MirroringTest, ACleanUpGoesThroughAllSlices) {
  mirror_one();
  set_subsets(R"([{"addresses":[{"ip":"10.0.0.1"}],"ports":[{"port":80,"protocol":"TCP"}]},
                  {"addresses":[{"ip":"10.0.0.2"}],"ports":[{"port":90,"protocol":"TCP"}]}])");
  cluster_.fail_next({.verb = Verb::kDelete, .resource = "endpointslices"});
  ASSERT_TRUE(cluster_.erase<Service>({"t", "s"}));
  cluster_.run_until_idle();
  EXPECT_EQ(slices().size(), 1);
  EXPECT_EQ(cluster_.syncs().back().error,
            "error(s) deleting 1/2 EndpointSlices for t/s Endpoints, including: injected failure");
  cluster_.advance(1s);
  EXPECT_THAT(slices(), IsEmpty());
}

TEST_F(MirroringTest, ACacheThatLacksAnOwnSliceIsOutOfDate) {
  start();
  add_service();
  cluster_.hold("endpointslices");
  add_endpoints();
  ASSERT_EQ(count(Verb::kCreate), 1);
  edit_endpoints(R"({"metadata":{"labels":{"a":"b"}}})");
  cluster_.advance(10s);
  EXPECT_EQ(cluster_.writes().size(), 1) << "it is not made twice";
  cluster_.release("endpointslices");
  cluster_.advance(100s);
  EXPECT_EQ(slice().text_at({"metadata", "labels", "a"}), "b");
}

TEST_F(MirroringTest, EM40_AConfigurationOutOfRangeIsRefused) {
  struct Case {
    const char* config;
    const char* error;
  };
  constexpr Case kCases[] = {
      {R"({"mirroringMaxEndpointsPerSubset":0})",
       "mirroringMaxEndpointsPerSubset must not be less than 1, but got 0"},
      {R"({"mirroringMaxEndpointsPerSubset":1001})",
       "mirroringMaxEndpointsPerSubset must not be more than 1000, but got 1001"},
      {R"({"mirroringEndpointsliceUpdatesBatchPeriod":"soon"})",
       "mirroringEndpointsliceUpdatesBatchPeriod must be a duration such as \"500ms\""},
      {R"({"x":1})",
       "unknown configuration \"x\"; known: mirroringEndpointsliceUpdatesBatchPeriod, "
       "mirroringMaxEndpointsPerSubset"},
  };
  for (const Case& each : kCases) {
    const Status started =
        cluster_.start(kController, &EndpointSliceMirroringController::open, each.config);
    EXPECT_EQ(started.message(), each.error);
  }
}

TEST_F(MirroringTest, AServerWithoutSlicesIsNoMistake) {
  cluster_.remove_resource("endpointslices");
  EXPECT_EQ(cluster_.start(kController, &EndpointSliceMirroringController::open).code(),
            Code::kUnsupported);
}

TEST_F(MirroringTest, WrongTypesDegradeOneObjectAndNoOther) {
  mirror_one();
  cluster_.add(R"({"apiVersion":"v1","kind":"Service",
      "metadata":{"namespace":"t","name":"bad"},"spec":{"ports":[{"port":80}]}})");
  cluster_.add(R"({"apiVersion":"v1","kind":"Endpoints",
      "metadata":{"namespace":"t","name":"bad"},"subsets":{"addresses":7}})");
  cluster_.run_until_idle();
  ASSERT_FALSE(cluster_.log().empty());
  EXPECT_EQ(cluster_.log().back().message, "malformed Endpoints: no address is mirrored");
  EXPECT_THAT(cluster_.log().back().fields,
              ElementsAre(std::pair<std::string, std::string>("endpoints", "t/bad"),
                          std::pair<std::string, std::string>("what", "subsets is not a list")));
  set_subsets(R"([{"addresses":[{"ip":"10.0.0.2"}],"ports":[{"port":80,"protocol":"TCP"}]}])");
  EXPECT_EQ(addresses_of(slice()), "10.0.0.2");
}

TEST_F(MirroringTest, TheMetricsCountEndpointsAndWrites) {
  start();
  add_service();
  add_endpoints();
  const auto value = [this](const std::string& name) {
    double last = -1;
    for (const testing::MetricSample& each : cluster_.metrics()) {
      if (each.name == "endpoint_slice_mirroring_controller_" + name) last = each.value;
    }
    return last;
  };
  EXPECT_EQ(value("changes"), 1);
  EXPECT_EQ(value("endpoints_desired"), 1);
  EXPECT_EQ(value("num_endpoint_slices"), 1);
  EXPECT_EQ(value("desired_endpoint_slices"), 1);
  EXPECT_GE(value("endpoints_sync_duration"), 0);

  cluster_.clear_records();
  set_subsets(R"([{"addresses":[{"ip":"10.0.0.2"},{"ip":"bad"}],
                   "ports":[{"port":80,"protocol":"TCP"}]}])");
  EXPECT_EQ(value("addresses_skipped_per_sync"), 1);
  ASSERT_TRUE(cluster_.erase<Service>({"t", "s"}));
  cluster_.run_until_idle();
  EXPECT_EQ(value("endpoints_desired"), 0);
  EXPECT_EQ(value("num_endpoint_slices"), 0);
}

TEST_F(MirroringTest, EveryRightIsUsed) {
  mirror_one();
  set_subsets(R"([{"addresses":[{"ip":"bad"}],"ports":[{"port":81,"protocol":"TCP"}]},
                  {"addresses":[{"ip":"10.0.0.2"}],"ports":[{"port":82,"protocol":"TCP"}]}])");
  set_subsets("[]");
  // Events are the host's requests.
  EXPECT_THAT(cluster_.unused_declarations(), Each(HasSubstr("events")));
}

}  // namespace
}  // namespace davit::endpointslicemirroring
