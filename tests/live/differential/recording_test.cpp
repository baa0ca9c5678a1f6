/// Recorded answers as files; needs no server.
#include "tests/live/differential/recording.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/live/support/process.hpp"

namespace davit::live {
namespace {

std::vector<Exchange> exchanges() {
  return {{{"POST", "/api/v1/namespaces/fuzz/pods", "application/json", R"({"a":"b"})", "x"},
           "201 {\"metadata\":{}}"},
          {{kWatchEnd, "/api/v1/namespaces/fuzz/pods?", "", "", ""}, "ADDED {}\nDELETED {}\n"}};
}

std::string error_of(const std::string& file) {
  const Result<std::vector<Exchange>> read = read_exchanges(file);
  return read ? "" : read.error().message();
}

TEST(DifferentialRecordingTest, ExchangesComeBackAsTheyWere) {
  const ScratchDir folder;
  const std::string file = folder.path() / "one.gz";
  write_exchanges(file, exchanges());
  const std::string bytes = read_file(file);
  write_exchanges(file, exchanges());
  EXPECT_EQ(read_file(file), bytes) << "equal exchanges give equal bytes";

  const Result<std::vector<Exchange>> read = read_exchanges(file);
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->size(), 2u);
  for (std::size_t i = 0; i < read->size(); ++i) {
    EXPECT_EQ((*read)[i].operation.str(), exchanges()[i].operation.str());
    EXPECT_EQ((*read)[i].operation.object, exchanges()[i].operation.object);
    EXPECT_EQ((*read)[i].answer, exchanges()[i].answer);
  }
}

TEST(DifferentialRecordingTest, ErrorNamesTheFileAndSaysWhatToDo) {
  const ScratchDir folder;
  const std::string file = folder.path() / "one.gz";
  const std::string advice = "; record it: docs/TESTING.md, \"Recordings\"";
  EXPECT_EQ(error_of(file), "the recording " + file + " is missing" + advice);

  write_exchanges(file, exchanges());
  const std::string bytes = read_file(file);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    write_file(file, bytes.substr(0, size));
    EXPECT_TRUE(error_of(file).starts_with("the recording " + file + " is damaged")) << size;
  }
}

}  // namespace
}  // namespace davit::live
