#include "sandbox/store/file_journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "tests/sandbox/store/drafts.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A journal with its store, as the program has them.
struct Kept {
  Kept(Clock& clock, std::unique_ptr<FileJournal> opened)
      : journal(std::move(opened)), store(clock, {}, journal.get()) {
    journal->restore_into(store);
  }
  std::unique_ptr<FileJournal> journal;
  Store store;
};

class FileJournalTest : public testing::Test {
 protected:
  Result<std::unique_ptr<FileJournal>> open_journal() {
    return FileJournal::open(file_, Logger(log_, "sandbox"), limits_);
  }
  std::unique_ptr<Kept> open() {
    auto journal = open_journal();
    EXPECT_TRUE(journal) << journal.error().message();
    return journal ? std::make_unique<Kept>(clock_, std::move(*journal)) : nullptr;
  }
  [[nodiscard]] std::size_t size() const { return std::filesystem::file_size(file_); }

  host::TempDirectory directory_;
  const std::string file_ = (directory_.path() / "data").string();
  test::RecordingLogSink log_{2};
  test::FakeClock clock_;
  FileJournalLimits limits_;
};

TEST_F(FileJournalTest, StoreIsRestored) {
  {
    const auto kept = open();
    Draft labelled = draft("a", "p", "one");
    labelled.labels = {{"app", "web"}};
    labelled.fields = {{"status.phase", "Running"}};
    ASSERT_TRUE(kept->store.create(kPods, std::move(labelled)));
    ASSERT_TRUE(kept->store.create(kPods, draft("a", "gone")));
    ASSERT_TRUE(kept->store.create(kNodes, draft("", "n", "old")));
    ASSERT_TRUE(kept->store.update(kNodes, draft("", "n", "new"), 4));
    ASSERT_TRUE(kept->store.remove(kPods, draft("a", "gone"), 3));
  }
  const auto kept = open();
  EXPECT_EQ(kept->store.revision(), 6u);
  EXPECT_THAT(names(kept->store.list(kPods, "").objects), ElementsAre("a/p"));
  const VersionPtr pod = kept->store.get(kPods, "a", "p");
  EXPECT_EQ(pod->revision, 2u);
  EXPECT_EQ(pod->uid, "uid-of-p");
  EXPECT_EQ(mark_of(pod), "one");
  EXPECT_EQ(pod->labels, (Pairs{{"app", "web"}}));
  EXPECT_EQ(pod->fields, (Pairs{{"status.phase", "Running"}}));
  EXPECT_EQ(mark_of(kept->store.get(kNodes, "", "n")), "new");
  EXPECT_TRUE(kept->store.update(kPods, draft("a", "p", "two"), 2)) << "and continues";
}

TEST_F(FileJournalTest, NewFileIsAnEmptyStore) {
  const auto kept = open();
  EXPECT_EQ(kept->store.revision(), 1u);
  EXPECT_TRUE(kept->store.changes(kPods, 0, 10));
}

TEST_F(FileJournalTest, OnlyItsOwnerMayReadTheFile) {
  const auto kept = open();
  struct stat status {};
  ASSERT_EQ(::stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(FileJournalTest, FileInUseIsRefused) {
  auto first = open();
  const Status refused = open_journal().error();
  EXPECT_EQ(refused.code(), Code::kConflict);
  EXPECT_EQ(refused.message(), file_ + ": another process has it open");
  first.reset();
  EXPECT_TRUE(open_journal());
}

TEST_F(FileJournalTest, FileThatCannotBeMadeIsNamed) {
  const auto journal =
      FileJournal::open((directory_.path() / "none" / "data").string(), Logger(log_));
  EXPECT_EQ(journal.error().code(), Code::kUnavailable);
  EXPECT_THAT(journal.error().message(), HasSubstr("none/data: open: No such file"));
}

TEST_F(FileJournalTest, TruncationAnywhereLosesOnlyWhatWasCut) {
  std::vector<std::size_t> ends;  // The file's sizes after each write.
  {
    const auto kept = open();
    ends.push_back(size());
    for (const char* name : {"p", "q", "r"}) {
      ASSERT_TRUE(kept->store.create(kPods, draft("a", name)));
      ends.push_back(size());
    }
  }
  const std::string whole = directory_.read("data");
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    directory_.write("data", whole.substr(0, cut));
    std::size_t complete = 0;
    while (ends[complete + 1] <= cut) ++complete;
    {
      const auto kept = open();
      ASSERT_NE(kept, nullptr) << cut;
      EXPECT_EQ(kept->store.list(kPods, "").objects.size(), complete) << cut;
      ASSERT_TRUE(kept->store.create(kPods, draft("b", "after"))) << cut;
    }
    const auto again = open();
    ASSERT_NE(again, nullptr) << cut;
    EXPECT_EQ(again->store.list(kPods, "").objects.size(), complete + 1) << cut;
  }
}

TEST_F(FileJournalTest, TornTailIsCutOffWithALine) {
  { ASSERT_TRUE(open()->store.create(kPods, draft("a", "p"))); }
  const std::size_t whole = size();
  directory_.write("data", directory_.read("data") + "torn");
  const auto kept = open();
  EXPECT_EQ(size(), whole);
  EXPECT_EQ(log_.count("Removed an unfinished write from the end of the file"), 1u);
  EXPECT_EQ(log_.count("bytes=4"), 1u);
}

TEST_F(FileJournalTest, DamageIsAnErrorThatNamesFileAndOffset) {
  std::size_t second = 0;
  {
    const auto kept = open();
    ASSERT_TRUE(kept->store.create(kPods, draft("a", "p")));
    second = size();
    ASSERT_TRUE(kept->store.create(kPods, draft("a", "q")));
  }
  std::string content = directory_.read("data");
  content[second + 30] = '#';
  directory_.write("data", content);

  const Status damaged = open_journal().error();
  EXPECT_EQ(damaged.code(), Code::kInvalid);
  EXPECT_EQ(damaged.message(), file_ + ": damaged at byte " + std::to_string(second) +
                                   ": the record's checksum does not match");
  EXPECT_EQ(directory_.read("data"), content) << "what is there is left alone";
}

TEST_F(FileJournalTest, LogThatOutgrowsTheSnapshotIsRewritten) {
  limits_.log_bytes_min = 4096;
  {
    const auto kept = open();
    Revision last = (*kept->store.create(kPods, draft("a", "p")))->revision;
    ASSERT_TRUE(kept->store.create(kPods, draft("a", "gone")));
    ASSERT_TRUE(kept->store.remove(kPods, draft("a", "gone"), 3));
    for (int i = 0; i < 200; ++i) {
      last = (*kept->store.update(kPods, draft("a", "p", std::to_string(i)), last))->revision;
    }
  }
  EXPECT_LT(size(), 2 * 4096u);
  EXPECT_GE(log_.count("Wrote a snapshot"), 2u);
  EXPECT_FALSE(std::filesystem::exists(file_ + ".new"));

  const auto kept = open();
  EXPECT_EQ(kept->store.revision(), 204u);
  EXPECT_EQ(mark_of(kept->store.get(kPods, "a", "p")), "199");
  EXPECT_EQ(kept->store.get(kPods, "a", "gone"), nullptr);
}

TEST_F(FileJournalTest, SnapshotReplacesTheFileThatALinkLeadsTo) {
  limits_.log_bytes_min = 1;
  const std::filesystem::path target = directory_.path() / "target";
  std::filesystem::create_symlink(target, file_);
  {
    const auto kept = open();
    ASSERT_TRUE(kept->store.create(kPods, draft("a", "p", "one")));
    ASSERT_GE(log_.count("Wrote a snapshot"), 1u);
  }
  EXPECT_TRUE(std::filesystem::is_symlink(file_));
  EXPECT_TRUE(std::filesystem::is_regular_file(target));
  EXPECT_EQ(mark_of(open()->store.get(kPods, "a", "p")), "one");
}

TEST_F(FileJournalTest, SnapshotIsNotWrittenThroughALinkInItsPlace) {
  limits_.log_bytes_min = 1;
  const std::string other = directory_.write("other", "kept");
  std::filesystem::create_symlink(other, file_ + ".new");
  ASSERT_TRUE(open()->store.create(kPods, draft("a", "p", "one")));
  EXPECT_EQ(directory_.read("other"), "kept");
}

TEST_F(FileJournalTest, DevicesAndFifosAreRefused) {
  std::filesystem::create_symlink("/dev/null", file_);
  EXPECT_THAT(open_journal().error().message(),
              HasSubstr("it is a character device, not a regular file"));
  std::filesystem::remove(file_);
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_THAT(open_journal().error().message(), HasSubstr("it is a FIFO, not a regular file"));
}

TEST_F(FileJournalTest, RevisionSurvivesASnapshotOfNothing) {
  limits_.log_bytes_min = 1;
  {
    const auto kept = open();
    ASSERT_TRUE(kept->store.create(kPods, draft("a", "p")));
    ASSERT_TRUE(kept->store.remove(kPods, draft("a", "p"), 2));
  }
  EXPECT_EQ(open()->store.revision(), 3u);
}

TEST_F(FileJournalTest, SnapshotIsLockedToo) {
  limits_.log_bytes_min = 1;
  const auto kept = open();
  ASSERT_TRUE(kept->store.create(kPods, draft("a", "p")));
  ASSERT_EQ(log_.count("Wrote a snapshot"), 1u);
  EXPECT_EQ(open_journal().error().code(), Code::kConflict);
}

TEST_F(FileJournalTest, SnapshotThatCannotBeWrittenLeavesTheLog) {
  limits_.log_bytes_min = 1;
  std::filesystem::create_directory(file_ + ".new");
  {
    const auto kept = open();
    ASSERT_TRUE(kept->store.create(kPods, draft("a", "p")));
    EXPECT_EQ(log_.count("Could not write a snapshot"), 1u);
    ASSERT_TRUE(kept->store.create(kPods, draft("a", "q")));
  }
  EXPECT_EQ(open()->store.list(kPods, "").objects.size(), 2u);
}

/// Writes until it is killed, and says on `pipe` which revision it has been promised.
[[noreturn]] void write_for_ever(Store& store, int pipe) {
  for (int i = 0;; ++i) {
    const auto made = store.create(kPods, draft("a", "p" + std::to_string(i)));
    if (!made) ::_exit(1);
    const Revision promised = (*made)->revision;
    if (::write(pipe, &promised, sizeof promised) != sizeof promised) ::_exit(1);
  }
}

TEST_F(FileJournalTest, AcknowledgedWritesSurviveKill) {
  limits_.log_bytes_min = 4096;  // Snapshots are under way, too.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) write_for_ever(open()->store, ends[1]);
  Revision promised = 0;
  while (promised < 300) {
    ASSERT_EQ(::read(ends[0], &promised, sizeof promised), ssize_t{sizeof promised});
  }
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const UniqueFd reader(ends[0]);
  { const UniqueFd closed(ends[1]); }
  while (::read(reader.get(), &promised, sizeof promised) == ssize_t{sizeof promised}) continue;

  const auto kept = open();
  EXPECT_GE(kept->store.revision(), promised);
  EXPECT_GE(kept->store.list(kPods, "").objects.size(), promised - 1);
}

TEST_F(FileJournalTest, AnObjectThatIsTooLargeIsNotStored) {
  const auto kept = open();
  const std::size_t before = size();

  const Result<VersionPtr> large =
      kept->store.create(kPods, draft("a", "p", std::string(std::size_t{64} << 20U, 'x')));

  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code(), Code::kInvalid);
  EXPECT_EQ(kept->store.get(kPods, "a", "p"), nullptr);
  EXPECT_EQ(size(), before);
  EXPECT_TRUE(kept->store.create(kPods, draft("a", "p")));
}

}  // namespace
}  // namespace davit::sandbox
