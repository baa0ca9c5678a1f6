#include "sandbox/store/journal_record.hpp"

#include <gtest/gtest.h>

#include "tests/sandbox/store/drafts.hpp"

namespace davit::sandbox {
namespace {

VersionPtr version(const std::string& name, Revision revision) {
  Version out;
  out.ns = "a";
  out.name = name;
  out.uid = "u";
  out.revision = revision;
  out.labels = {{"app", "web"}, {"line\nfeed", "\"quoted\""}};
  out.fields = {{"status.phase", "Running"}};
  out.text = R"({"metadata":{"name":")" + name + R"("}})";
  return std::make_shared<const Version>(std::move(out));
}

std::vector<std::string> three_records() {
  return {*encode_record({JournalRecord::Kind::kRevision, {}, version("", 5)}),
          *encode_record({JournalRecord::Kind::kPut, {"apps", "deployments"}, version("p", 6)}),
          *encode_record({JournalRecord::Kind::kRemove, kPods, version("q", 7)})};
}

std::string joined(const std::vector<std::string>& records) {
  std::string out(kJournalMagic);
  for (const std::string& each : records) out += each;
  return out;
}

TEST(JournalRecordTest, RecordsAreReadBackAsWritten) {
  const ParsedJournal parsed = *parse_journal(joined(three_records()));
  ASSERT_EQ(parsed.records.size(), 3u);

  EXPECT_EQ(parsed.records[0].kind, JournalRecord::Kind::kRevision);
  EXPECT_EQ(parsed.records[0].object->revision, 5u);

  const JournalRecord& put = parsed.records[1];
  EXPECT_EQ(put.kind, JournalRecord::Kind::kPut);
  EXPECT_EQ(put.collection, (Collection{"apps", "deployments"}));
  EXPECT_EQ(put.object->ns, "a");
  EXPECT_EQ(put.object->name, "p");
  EXPECT_EQ(put.object->uid, "u");
  EXPECT_EQ(put.object->revision, 6u);
  EXPECT_EQ(put.object->labels, version("p", 6)->labels);
  EXPECT_EQ(put.object->fields, version("p", 6)->fields);
  EXPECT_EQ(put.object->text, version("p", 6)->text);

  EXPECT_EQ(parsed.records[2].kind, JournalRecord::Kind::kRemove);
  EXPECT_EQ(parsed.records[2].object->name, "q");
}

TEST(JournalRecordTest, EveryCutLeavesTheCompleteRecordsBeforeIt) {
  const std::vector<std::string> records = three_records();
  const std::string whole = joined(records);
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    std::size_t complete = 0;
    std::size_t end = kJournalMagic.size();
    while (complete < records.size() && end + records[complete].size() <= cut) {
      end += records[complete++].size();
    }
    const Result<ParsedJournal> parsed = parse_journal(std::string_view(whole).substr(0, cut));
    ASSERT_TRUE(parsed) << cut << ": " << parsed.error().message();
    EXPECT_EQ(parsed->records.size(), complete) << cut;
    EXPECT_EQ(parsed->bytes, cut < kJournalMagic.size() ? 0 : end) << cut;
  }
}

TEST(JournalRecordTest, EveryFlippedBitIsNoticed) {
  const std::string whole = joined(three_records());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    EXPECT_EQ(parse_journal(flipped).error().code(), Code::kInvalid) << "byte " << i;
  }
}

TEST(JournalRecordTest, DamageIsNamedByTheOffsetOfItsRecord) {
  const std::vector<std::string> records = three_records();
  const std::size_t second = kJournalMagic.size() + records[0].size();
  std::string payload = joined(records);
  payload[second + 20] = '#';
  EXPECT_EQ(parse_journal(payload).error().message(),
            "damaged at byte " + std::to_string(second) + ": the record's checksum does not match");
  std::string header = joined(records);
  header[second] = '#';
  EXPECT_EQ(parse_journal(header).error().message(),
            "damaged at byte " + std::to_string(second) + ": not the start of a record");
}

TEST(JournalRecordTest, ZerosToTheEndAreATornWrite) {
  const std::string whole = joined(three_records());
  const Result<ParsedJournal> parsed = parse_journal(whole + std::string(4096, '\0'));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->records.size(), 3u);
  EXPECT_EQ(parsed->bytes, whole.size());
  EXPECT_FALSE(parse_journal(whole + std::string(4096, '\0') + "x"));
}

TEST(JournalRecordTest, ForeignFilesAreRefused) {
  for (const char* foreign : {"#!/bin/sh\n", "davit sandbox data 2\n", "x"}) {
    EXPECT_EQ(parse_journal(foreign).error().message(), "not a sandbox data file");
  }
}

TEST(JournalRecordTest, AnObjectThatIsTooLargeIsRefused) {
  Version large;
  large.name = "p";
  large.text = std::string(std::size_t{64} << 20U, 'x');
  const Result<std::string> record = encode_record(
      {JournalRecord::Kind::kPut, kPods, std::make_shared<const Version>(std::move(large))});

  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().message(), "the object is too large for the data file");
}

}  // namespace
}  // namespace davit::sandbox
