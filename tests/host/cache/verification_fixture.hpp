/// An informer of pods that is asked how current it is.
#pragma once

#include <string>
#include <vector>

#include "tests/host/cache/cache_fixture.hpp"

namespace davit::host {

class VerificationTest : public CacheTest {
 protected:
  static constexpr int kLarge = 501;

  static std::vector<PodSpec> many_pods() {
    std::vector<PodSpec> pods;
    for (int i = 0; i < kLarge; ++i) {
      pods.push_back({.name = "p" + std::to_string(i), .version = "3"});
    }
    return pods;
  }
  /// A content that is listed again for nothing: more than one page.
  void fill_large(std::size_t compared_max = 0) {
    ReflectorOptions options;
    options.streaming_list = false;
    options.compared_max = compared_max;
    make_informer(options);
    reply({.body = list_json("7", many_pods()), .lasts = std::chrono::milliseconds(10)});
    step();
    informer_->add_listener(listener_, Informer::PastContent::kSkip);
  }
  void fill_small() {
    make_plain_informer();
    reply({.body = list_json("7", {{.name = "a", .version = "3"}}),
           .lasts = std::chrono::milliseconds(10)});
    step();
    informer_->add_listener(listener_, Informer::PastContent::kSkip);
  }
  /// The watch that runs is cut because somebody wants to know.
  Time ask() {
    Time asked{};
    reply({.during = [&] {
      asked = clock_.now();
      informer_->verify(asked);
    }});
    step();
    return asked;
  }

  class Hearer final : public Listener {
   public:
    void on_initial(std::vector<ObjectRef>) override {}
    void on_change(const Change&) override { ++changes; }
    void on_verified(Time as_of) override {
      verified = as_of;
      changes_before = changes;
    }
    std::optional<Time> verified;
    int changes = 0;
    int changes_before = 0;
  } listener_;
};

}  // namespace davit::host
