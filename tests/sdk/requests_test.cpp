/// Several requests at once, pages, streams and scales, against the test cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <davit/scale.hpp>
#include <davit/testing/cluster.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace davit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ConfigMap : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "configmaps", "ConfigMap"};
  using ObjectView::ObjectView;
};

/// Runs a function of the test in a sync.
class Scripted final : public Controller {
 public:
  using Script = std::function<Status(const Context&)>;

  Scripted(Context& context, const Script& script)
      : queue_(context.open_queue({.name = "scripted"},
                                  [&context, &script](const Key&) -> Result<Again> {
                                    const Status status = script(context);
                                    if (!status.ok()) return status;
                                    return Again::when_changed();
                                  })) {
    queue_.add(Key{"", "once"});
  }

 private:
  Queue queue_;
};

class RequestsTest : public ::testing::Test {
 protected:
  void add_maps(int count) {
    for (int i = 0; i < count; ++i) {
      cluster_.add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"default",)"
                   R"("name":"map-)" +
                   std::to_string(i) + R"("}})");
    }
  }
  /// The error of the script, which runs in one sync.
  std::string run(Scripted::Script script) {
    script_ = std::move(script);
    const Status started = cluster_.start("scripted", [this](Context& context) -> InitResult {
      return std::unique_ptr<Controller>(std::make_unique<Scripted>(context, script_));
    });
    EXPECT_TRUE(started.ok()) << started.message();
    EXPECT_TRUE(cluster_.run_one_sync());
    return cluster_.syncs().back().error;
  }

  testing::Cluster cluster_;
  Scripted::Script script_;
};

TEST_F(RequestsTest, FanOutSendsEachRequestAndGivesEachResponse) {
  add_maps(120);
  std::set<std::string> names;

  const std::string error = run([&](const Context& context) {
    return context.client().fan_out(
        [](std::size_t index) {
          return index < 120 ? std::optional(Request::get<ConfigMap>(
                                   {"default", "map-" + std::to_string(index)}))
                             : std::nullopt;
        },
        [&](std::size_t index, const Result<Value>& map) {
          EXPECT_EQ(ConfigMap(*map).name(), "map-" + std::to_string(index));
          names.emplace(ConfigMap(*map).name());
        });
  });

  EXPECT_EQ(error, "");
  EXPECT_EQ(names.size(), 120u);
}

TEST_F(RequestsTest, ErrorOfDoneEndsAFanOutAndIsItsOwn) {
  add_maps(100);
  std::size_t done = 0;
  const std::string error = run([&](const Context& context) {
    const std::vector<Request> requests(100, Request::get<ConfigMap>({"default", "map-0"}));
    return context.client().fan_out(
        requests,
        [&](std::size_t, const Result<Value>&) {
          ++done;
          return Status(Code::kInvalid, "enough");
        },
        2);
  });
  EXPECT_THAT(error, HasSubstr("enough"));
  EXPECT_LE(cluster_.requests().size(), 2u);
  EXPECT_EQ(done, cluster_.requests().size());
}

TEST_F(RequestsTest, FailedRequestIsAResultAndTheOthersGoOn) {
  add_maps(1);
  std::vector<Code> codes;
  const std::string error = run([&](const Context& context) {
    const std::vector<Request> requests = {Request::get<ConfigMap>({"default", "absent"}),
                                           Request::get<ConfigMap>({"default", "map-0"})};
    return context.client().fan_out(requests, [&](std::size_t, const Result<Value>& map) {
      codes.push_back(map.error().code());
    });
  });
  EXPECT_EQ(error, "");
  EXPECT_THAT(codes, ElementsAre(Code::kNotFound, Code::kOk));
}

TEST_F(RequestsTest, ExceptionOfACallbackReachesTheSyncAndNotTheHost) {
  add_maps(1);
  const std::string error = run([&](const Context& context) {
    return context.client().fan_out(
        std::vector<Request>{Request::get<ConfigMap>({"default", "map-0"})},
        [](std::size_t, const Result<Value>&) { throw std::runtime_error("thrown in done"); });
  });
  EXPECT_THAT(error, HasSubstr("thrown in done"));
}

TEST_F(RequestsTest, ListComesInPages) {
  add_maps(25);
  std::vector<std::size_t> sizes;
  const std::string error = run([&](const Context& context) {
    return context.client().list_pages(Request::list<ConfigMap>("default", {.limit = 10}),
                                       [&](const Page& page) {
                                         EXPECT_FALSE(page.restarted);
                                         sizes.push_back(page.list[&Names::items].count());
                                       });
  });
  EXPECT_EQ(error, "");
  EXPECT_THAT(sizes, ElementsAre(10, 10, 5));
}

TEST_F(RequestsTest, ListWhoseVersionTheServerHasForgottenIsListedAgainAtOnce) {
  add_maps(25);
  std::vector<std::pair<std::size_t, bool>> pages;
  const std::string error = run([&](const Context& context) {
    return context.client().list_pages(
        Request::list<ConfigMap>("default", {.limit = 10}), [&](const Page& page) {
          pages.emplace_back(page.list[&Names::items].count(), page.restarted);
          if (pages.size() > 1) return;
          add_maps(26);  // A newer version.
          cluster_.forget_history();
        });
  });
  EXPECT_EQ(error, "");
  EXPECT_THAT(pages, ElementsAre(std::pair(10u, false), std::pair(26u, true)));
}

TEST_F(RequestsTest, ErrorOfAPageEndsTheList) {
  add_maps(25);
  const std::string error = run([&](const Context& context) {
    return context.client().list_pages(Request::list<ConfigMap>("default", {.limit = 10}),
                                       [](const Page&) { return Status(Code::kInvalid, "no"); });
  });
  EXPECT_THAT(error, HasSubstr("no"));
  EXPECT_EQ(cluster_.requests().size(), 1u);
}

TEST_F(RequestsTest, StreamGivesTheBytesOfALog) {
  cluster_.add(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"web"},
    "spec":{"nodeName":"n1","containers":[{"name":"main","image":"i"}]},
    "status":{"containerStatuses":[{"name":"main","state":{"running":{}}}]}})");
  std::string log;
  const std::string error = run([&](const Context& context) {
    Request request = Request::get({"", "v1", "pods", "Pod"}, {"default", "web"});
    request.subresource = "log";
    request.query = "tailLines=1";
    return context.client().stream(request, [&](std::string_view piece) { log += piece; });
  });
  EXPECT_EQ(error, "");
  EXPECT_THAT(log, HasSubstr("container \"main\" of pod \"web\" is simulated"));
}

TEST_F(RequestsTest, StatusOfTheSinkIsTheResultOfTheStream) {
  add_maps(3);
  const std::string error = run([&](const Context& context) {
    return context.client().stream(Request::list<ConfigMap>("default"), [](std::string_view) {
      return Status(Code::kInvalid, "the sink is full");
    });
  });
  EXPECT_THAT(error, HasSubstr("the sink is full"));
}

TEST_F(RequestsTest, ErrorOfAStreamIsThatOfTheServer) {
  const std::string error = run([&](const Context& context) {
    return context.client().stream(Request::get<ConfigMap>({"default", "absent"}),
                                   [](std::string_view) { FAIL(); });
  });
  EXPECT_THAT(error, HasSubstr("\"absent\" not found"));
}

TEST_F(RequestsTest, ResourceOfRunTimeHasTheSameRequests) {
  add_maps(1);
  const Resource maps{"", "v1", "configmaps", {}};
  const Key key{"default", "map-0"};
  const std::string error = run([&](const Context& context) {
    const Client client = context.client();
    EXPECT_TRUE(client.call(Request::get(maps, key)).has_value());
    EXPECT_TRUE(client.call(Request::list(maps, "default")).has_value());
    EXPECT_TRUE(client.call(Request::patch(maps, key, PatchType::kMerge, R"({"data":{"a":"1"}})"))
                    .has_value());
    EXPECT_TRUE(client.call(Request::remove(maps, key)).has_value());
    return client
        .call(Request::create(maps, "default",
                              R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}})"))
        .error();
  });
  EXPECT_EQ(error, "");
  std::vector<std::string> texts;
  for (const testing::RequestRecord& each : cluster_.requests()) texts.push_back(each.text());
  EXPECT_THAT(texts, ElementsAre("get configmaps/map-0 200", "list configmaps 200",
                                 "patch configmaps/map-0 200", "delete configmaps/map-0 200",
                                 "create configmaps/b 201"));
}

// ---- Scale --------------------------------------------------------------------------------------

constexpr char kCrd[] =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
  "metadata":{"name":"boats.sea.example.com"},
  "spec":{"group":"sea.example.com","scope":"Namespaced",
    "names":{"plural":"boats","singular":"boat","kind":"Boat","listKind":"BoatList"},
    "versions":[{"name":"v1","served":true,"storage":true,
      "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}},
      "subresources":{"scale":{"specReplicasPath":".spec.crew","statusReplicasPath":".status.crew",
        "labelSelectorPath":".status.selector"}}}]}})";

class ScaleTest : public RequestsTest {
 protected:
  ScaleTest() {
    const testing::RawReply made =
        cluster_.exchange({.method = "POST",
                           .target = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                           .headers = {{"Content-Type", "application/json"}},
                           .body = kCrd});
    EXPECT_EQ(made.http_status, 201) << made.body;
    cluster_.add(R"({"apiVersion":"sea.example.com/v1","kind":"Boat",)"
                 R"("metadata":{"namespace":"default","name":"argo"},)"
                 R"("spec":{"crew":3},"status":{"crew":2,"selector":"boat=argo"}})");
    cluster_.add(R"({"apiVersion":"v1","kind":"ConfigMap",)"
                 R"("metadata":{"namespace":"default","name":"map"}})");
  }
  std::string run_scales(const std::function<Status(const Scales&)>& script) {
    return run([script](const Context& context) {
      return script(Scales(context.client(), context.discovery()));
    });
  }
};

TEST_F(ScaleTest, CustomResourceIsReadAndScaledThroughDiscovery) {
  Result<Scale> read = Status(Code::kInternal, "not read");
  Result<Scale> written = read;
  const std::string error = run_scales([&](const Scales& scales) {
    read = scales.get({"sea.example.com/v1", "Boat", {"default", "argo"}});
    if (!read) return read.error();
    written = scales.set(*read, 50);
    return written.error();
  });
  ASSERT_EQ(error, "");
  EXPECT_EQ(read->resource, "boats");
  EXPECT_EQ(read->replicas, 3);
  EXPECT_EQ(read->current_replicas, 2);
  EXPECT_EQ(read->selector, "boat=argo");
  EXPECT_EQ(written->replicas, 50);
  EXPECT_NE(written->resource_version, read->resource_version);
}

TEST_F(ScaleTest, StaleScaleIsAConflict) {
  const std::string error = run_scales([&](const Scales& scales) {
    Result<Scale> read = scales.get({"sea.example.com/v1", "Boat", {"default", "argo"}});
    if (!read) return read.error();
    if (Status s = scales.set(*read, 4).error(); !s.ok()) return s;
    const Status stale = scales.set(*read, 5).error();
    EXPECT_EQ(stale.code(), Code::kConflict);
    return Status();
  });
  EXPECT_EQ(error, "");
}

TEST_F(ScaleTest, KindWithoutScaleOrWithoutResourceIsNamed) {
  bool ran = false;
  static_cast<void>(run_scales([&](const Scales& scales) {
    const Status unscalable = scales.get({"v1", "ConfigMap", {"default", "map"}}).error();
    EXPECT_EQ(unscalable.code(), Code::kUnsupported);
    EXPECT_EQ(unscalable.message(), "the server could not find the requested resource");
    const Status unknown = scales.get({"sea.example.com/v1", "Ship", {"default", "a"}}).error();
    EXPECT_EQ(unknown.code(), Code::kNotFound);
    EXPECT_EQ(unknown.message(), R"(no matches for kind "Ship" in group "sea.example.com")");
    const Status gone = scales.get({"sea.example.com/v1", "Boat", {"default", "ghost"}}).error();
    EXPECT_EQ(gone.code(), Code::kNotFound);
    EXPECT_EQ(gone.message(), R"(boats.sea.example.com "ghost" not found)");
    EXPECT_EQ(scales.get({"a/b/c", "Boat", {"default", "argo"}}).error().message(),
              "unexpected GroupVersion string: a/b/c");
    EXPECT_TRUE(scales.get({"sea.example.com/v0", "Boat", {"default", "argo"}}))
        << "only the group counts";
    ran = true;
    return Status();
  }));
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace davit
