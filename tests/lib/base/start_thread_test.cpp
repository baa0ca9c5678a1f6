#include "lib/base/start_thread.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>

namespace davit {
namespace {

std::string name_of(std::jthread& thread) {
  std::array<char, 16> name{};
  pthread_getname_np(thread.native_handle(), name.data(), name.size());
  return name.data();
}

std::string name_for(std::string_view job) {
  std::atomic<bool> asked = false;
  std::jthread thread;
  EXPECT_TRUE(start_thread(thread, job, [&asked] { asked.wait(false); }));
  const std::string name = name_of(thread);
  asked = true;
  asked.notify_one();
  return name;
}

TEST(StartThreadTest, ThreadIsNamedAfterItsJob) { EXPECT_EQ(name_for("sync"), "davit-sync"); }

TEST(StartThreadTest, LongNameIsCutToWhatTheKernelKeeps) {
  EXPECT_EQ(name_for("endpointslices"), "davit-endpoints");
}

}  // namespace
}  // namespace davit
