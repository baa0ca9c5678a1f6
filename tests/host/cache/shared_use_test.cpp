/// Informers that are opened and closed at run time: sharing, release, guests of a delta queue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/cache/delta_queue.hpp"
#include "host/cache/informer_factory.hpp"
#include "host/cache/rest_list_watch.hpp"
#include "tests/host/cache/cache_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

CacheNeed need(std::string ns = {}, ObjectForm form = ObjectForm::kWhole) {
  return CacheNeed{{.resource = {"", "v1", "pods"},
                    .label_selector = {},
                    .field_selector = {},
                    .projection = {},
                    .ns = std::move(ns),
                    .form = form}};
}

/// Nothing is started: the test counts informers, and steps their reflectors.
class SharedUseTest : public CacheTest {
 protected:
  InformerUse acquire(const CacheNeed& what) {
    Result<InformerUse> use = factory_.acquire(what);
    EXPECT_TRUE(use) << use.error().message();
    return *std::move(use);
  }
  void fill(Informer& informer, const std::vector<PodSpec>& pods) {
    ASSERT_TRUE(informer.prepare().ok());
    reply({.body = list_json("1", pods)});
    ASSERT_FALSE(informer.reflector().step({}));
  }

  InformerFactory factory_{InformerSeams{api_, space_, clock_, *random_, metrics_}, Logger(log_),
                           ReflectorOptions{.streaming_list = false}};
};

TEST_F(SharedUseTest, UsersOfOneSelectionShareAnInformerAndOthersDoNot) {
  const InformerUse first = acquire(need());
  const InformerUse second = acquire(need());
  const InformerUse of_one_namespace = acquire(need("default"));
  const InformerUse metadata_only = acquire(need({}, ObjectForm::kMetadata));

  EXPECT_EQ(&first.informer(), &second.informer());
  EXPECT_THAT(factory_.informers(), SizeIs(3));
}

TEST_F(SharedUseTest, FieldsOfMetadataComeFromTheInformerOfWholeObjects) {
  CacheNeed whole = need();
  whole.spec.projection = {"spec.nodeName"};
  Result<Informer*> informer = factory_.informer(whole);
  ASSERT_TRUE(informer);
  CacheNeed metadata_only = need({}, ObjectForm::kMetadata);
  metadata_only.spec.projection = {"metadata.uid", "metadata.labels"};

  const InformerUse use = acquire(metadata_only);

  EXPECT_EQ(&use.informer(), *informer);
  fill(use.informer(), {{.name = "a", .version = "1", .labels = R"("app":"web")"}});
  const std::vector<ObjectRef> pods = use.informer().store().list();
  ASSERT_THAT(pods, SizeIs(1));
  EXPECT_EQ(pods[0].root()["metadata"]["labels"]["app"].string(), "web")
      << "it keeps what both read";
}

TEST_F(SharedUseTest, FieldsThatARunningInformerDoesNotKeepComeFromAnotherOne) {
  CacheNeed whole = need();
  whole.spec.projection = {"spec.nodeName"};
  Result<Informer*> informer = factory_.informer(whole);
  ASSERT_TRUE(informer);
  ASSERT_TRUE((*informer)->prepare().ok());
  CacheNeed metadata_only = need({}, ObjectForm::kMetadata);
  metadata_only.spec.projection = {"metadata.labels"};

  const InformerUse use = acquire(metadata_only);

  EXPECT_NE(&use.informer(), *informer);
  EXPECT_EQ(use.informer().spec().form, ObjectForm::kMetadata);
}

TEST_F(SharedUseTest, AnInformerOfMetadataServesNoUserOfWholeObjects) {
  CacheNeed metadata_only = need({}, ObjectForm::kMetadata);
  metadata_only.spec.projection = {"metadata.uid"};
  const InformerUse first = acquire(metadata_only);
  CacheNeed whole = need();
  whole.spec.projection = {"spec.nodeName"};

  const InformerUse second = acquire(whole);

  EXPECT_NE(&first.informer(), &second.informer());
}

TEST_F(SharedUseTest, AnInformerIsReleasedAMinuteAfterItsLastUse) {
  auto first = std::make_unique<InformerUse>(acquire(need()));
  auto second = std::make_unique<InformerUse>(acquire(need()));
  first.reset();
  clock_.advance(InformerFactory::kUnusedMax);
  factory_.release_unused(clock_.now());
  ASSERT_THAT(factory_.informers(), SizeIs(1)) << "it has another user";

  second.reset();
  clock_.advance(InformerFactory::kUnusedMax - std::chrono::seconds(1));
  factory_.release_unused(clock_.now());
  EXPECT_THAT(factory_.informers(), SizeIs(1));
  clock_.advance(std::chrono::seconds(1));
  factory_.release_unused(clock_.now());

  EXPECT_THAT(factory_.informers(), IsEmpty());
}

TEST_F(SharedUseTest, AUseThatBeginsWithinTheMinuteKeepsContentAndInformer) {
  auto old = std::make_unique<InformerUse>(acquire(need()));
  fill(old->informer(), {{.name = "a", .version = "1"}});
  old.reset();
  clock_.advance(std::chrono::seconds(59));

  const InformerUse next = acquire(need());
  clock_.advance(InformerFactory::kUnusedMax);
  factory_.release_unused(clock_.now());

  EXPECT_TRUE(next.informer().has_synced());
  EXPECT_THAT(api_.asked, SizeIs(1)) << "no second list";
}

TEST_F(SharedUseTest, AnInformerThatTheNoteDeclaresIsNeverReleased) {
  {
    const InformerUse use = acquire(need());
    EXPECT_EQ(*factory_.informer(need()), &use.informer());
  }

  clock_.advance(std::chrono::hours(1));
  factory_.release_unused(clock_.now());

  EXPECT_THAT(factory_.informers(), SizeIs(1));
}

TEST_F(SharedUseTest, AResourceThatIsNotServedIsUnavailableUntilItIsListed) {
  const InformerUse use = acquire(need());
  Informer& informer = use.informer();
  fill(informer, {{.name = "a", .version = "1"}});
  EXPECT_TRUE(informer.availability().ok());

  reply({.end = api_error(404, Code::kNotFound, "NotFound")});
  ASSERT_FALSE(informer.reflector().step({}));
  EXPECT_EQ(informer.availability().code(), Code::kNotFound);
  EXPECT_EQ(informer.store().size(), 1U) << "the last known content stays";

  clock_.advance(std::chrono::seconds(2));
  static_cast<void>(informer.reflector().step({}));
  clock_.advance(std::chrono::seconds(2));
  reply({.body = list_json("9", {})});
  ASSERT_FALSE(informer.reflector().step({}));
  EXPECT_TRUE(informer.availability().ok());
  EXPECT_EQ(informer.store().size(), 0U);
}

TEST_F(SharedUseTest, AGuestDelaysNeitherTheFirstContentNorTheLead) {
  const InformerUse awaited = acquire(need());
  const InformerUse missing = acquire(need("default"));
  DeltaQueue queue;
  queue.join(awaited.informer(), [](const Change&) {});
  queue.join_guest(missing.informer(), 7, {});

  fill(awaited.informer(), {});

  EXPECT_TRUE(queue.initial_delivered());
}

TEST_F(SharedUseTest, AGuestReportsThatItIsFilledAfterTheLastObject) {
  const InformerUse use = acquire(need());
  DeltaQueue queue;
  Strings heard;
  queue.join_guest(use.informer(), 7,
                   {.handler = [&](const Change&) { heard.emplace_back("object"); },
                    .on_filled = [&] { heard.emplace_back("filled"); },
                    .on_availability = {},
                    .on_left = {}});

  fill(use.informer(), {{.name = "a", .version = "1"}, {.name = "b", .version = "1"}});
  while (queue.step()) {
  }

  EXPECT_THAT(heard, ElementsAre("object", "object", "filled"));
}

TEST_F(SharedUseTest, AGuestThatLeftIsOnlyNotifiedOfThat) {
  const InformerUse use = acquire(need());
  DeltaQueue queue;
  Strings heard;
  const auto guest = [&](const std::string& name) {
    return DeltaQueue::Guest{.handler = [&heard, name](const Change&) { heard.push_back(name); },
                             .on_filled = {},
                             .on_availability = {},
                             .on_left = [&heard, name] { heard.push_back(name + " left"); }};
  };
  queue.join_guest(use.informer(), 1, guest("first"));
  queue.join_guest(use.informer(), 2, guest("second"));
  fill(use.informer(), {{.name = "a", .version = "1"}});
  while (queue.step()) {
  }
  heard.clear();
  reply({.body = event_json("MODIFIED", {.name = "a", .version = "2"}) +
                 event_json("ADDED", {.name = "b", .version = "3"})});
  ASSERT_FALSE(use.informer().reflector().step({}));

  queue.leave(1);
  queue.leave(1);
  while (queue.step()) {
  }

  EXPECT_THAT(heard, ElementsAre("first left", "second", "second"));
}

TEST_F(SharedUseTest, AGuestHearsOfAVerificationAfterAllChangesBeforeIt) {
  const InformerUse use = acquire(need());
  DeltaQueue queue;
  Strings heard;
  queue.join_guest(use.informer(), 1,
                   {.handler = [&heard](const Change&) { heard.push_back("change"); },
                    .on_verified = [&heard](Time) { heard.push_back("verified"); }});
  fill(use.informer(), {{.name = "a", .version = "1"}});
  use.informer().verify(clock_.now());
  reply({});  // A watch that ends as soon as it begins.
  ASSERT_FALSE(use.informer().reflector().step({}));
  reply({.body = list_json("9", {{.name = "a", .version = "8"}})});
  ASSERT_FALSE(use.informer().reflector().step({}));
  EXPECT_THAT(heard, ElementsAre()) << "the dispatcher's thread hands it out";

  while (queue.step()) {
  }

  EXPECT_THAT(heard, ElementsAre("change", "change", "verified"));
}

TEST_F(SharedUseTest, MetadataAndOneNamespaceAreAskedForAsTheServerKnowsThem) {
  const Selection what{{"apps", "v1", "deployments"}, "a=b", "", "home", ObjectForm::kMetadata};
  ReflectorRequest list;
  list.kind = ReflectorRequest::Kind::kList;
  ReflectorRequest watch;
  watch.kind = ReflectorRequest::Kind::kWatch;

  const ApiRequest listed = to_api_request(what, list);
  EXPECT_EQ(listed.path.ns, "home");
  EXPECT_EQ(listed.accept,
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json");
  EXPECT_EQ(to_api_request(what, watch).accept,
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
}

}  // namespace
}  // namespace davit::host
