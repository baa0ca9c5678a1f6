/// Claims that are synced side by side, and writes of a binding without an answer.
#include "tests/plugins/volumebinder/fixture.hpp"

namespace davit::volumebinder {
namespace {

using namespace std::chrono_literals;

class ReservationTest : public BinderTest {
 protected:
  void SetUp() override { start(); }
  /// Less time than until the next pass, which looks at everything.
  void pass_a_while() { cluster_.advance(5s); }
  /// The first write that takes a volume gets no response.
  void lose_first_write(testing::Effect effect) {
    cluster_.fail_next({.verb = Verb::kPatch,
                        .resource = "persistentvolumes",
                        .name = "v",
                        .http_status = 0,
                        .effect = effect});
  }
  /// The claim d is synced while c waits for the response to its first write.
  void sync_d_within_c() {
    cluster_.on_request([this, is_first = true](const testing::RequestRecord& request) mutable {
      if (!is_first || request.verb != Verb::kPatch) return;
      is_first = false;
      EXPECT_TRUE(cluster_.run_one_sync());
    });
    add_claim("c");
    add_claim("d");
    pass_a_while();
  }
  [[nodiscard]] int conflicts() const {
    int out = 0;
    for (const testing::RequestRecord& each : cluster_.writes()) {
      out += each.http_status == 409 ? 1 : 0;
    }
    return out;
  }
};

TEST_F(ReservationTest, AClaimWhoseWriteWasLostGetsItsVolumeAndNoNewOne) {
  for (const testing::Effect effect : {testing::Effect::kNone, testing::Effect::kApplied}) {
    add_class("sc");
    add_volume("v", R"({"spec":{"storageClassName":"sc"}})");
    run();
    lose_first_write(effect);
    add_claim_of_class("c", "sc");
    pass_a_while();
    EXPECT_TRUE(is_bound("v", "c"));
    EXPECT_EQ(claim_annotation("c", "volume.kubernetes.io/storage-provisioner"), "");
    cluster_.erase<Claim>({"ns", "c"});
    cluster_.erase<Volume>({"", "v"});
    run();
  }
}

TEST_F(ReservationTest, OfTwoClaimsThatAreSyncedAtOnceEachTakesAVolumeWithoutAConflict) {
  add_volume("v");
  add_volume_of_size("w", "2Gi");
  run();
  sync_d_within_c();
  EXPECT_TRUE(is_bound("v", "c"));
  EXPECT_TRUE(is_bound("w", "d"));
  EXPECT_EQ(conflicts(), 0);
}

TEST_F(ReservationTest, AClaimThatIsSyncedAtOnceDoesNotTakeTheVolumeOfALostWrite) {
  add_volume("v");
  add_volume_of_size("w", "2Gi");
  run();
  lose_first_write(testing::Effect::kNone);
  sync_d_within_c();
  EXPECT_TRUE(is_bound("v", "c")) << "the lost write left the volume to its claim";
  EXPECT_TRUE(is_bound("w", "d"));
  EXPECT_EQ(conflicts(), 0);
}

TEST_F(ReservationTest, AVolumeThatAnotherWriterTookMeanwhileIsLeftToIt) {
  add_volume("v");
  add_volume_of_size("w", "2Gi");
  run();
  cluster_.on_request([this, is_first = true](const testing::RequestRecord& request) mutable {
    if (!is_first || request.verb != Verb::kPatch) return;
    is_first = false;
    cluster_.merge<Volume>({"", "v"}, R"({"spec":{"claimRef":{"namespace":"ns","name":"x"}}})");
  });
  add_claim("c");
  pass_a_while();
  EXPECT_TRUE(is_bound("w", "c"));
  EXPECT_EQ(conflicts(), 1);
}

}  // namespace
}  // namespace davit::volumebinder
