/// A damaged file of `--data` is refused, or read up to where whole records end, and those are
/// written as they stand there.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/assert.hpp"
#include "sandbox/store/journal_record.hpp"

namespace {
using namespace davit::sandbox;

void check(std::string_view content) {
  const davit::Result<ParsedJournal> parsed = parse_journal(content);
  if (!parsed) return;
  DAVIT_ASSERT(parsed->bytes <= content.size());
  for (const JournalRecord& each : parsed->records) DAVIT_ASSERT(each.object != nullptr);
  const davit::Result<ParsedJournal> again = parse_journal(content.substr(0, parsed->bytes));
  DAVIT_ASSERT(again.has_value() && again->records.size() == parsed->records.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  check(std::string(kJournalMagic).append(bytes));
  // A record whose checksums hold, which no chance finds: its payload is what is read next.
  Version version;
  version.ns = bytes.substr(0, size / 2);
  version.name = bytes.substr(size / 2);
  version.text = "{}";
  version.labels = {{version.name, version.ns}};
  const JournalRecord record{
      JournalRecord::Kind::kPut, {version.ns, "x"}, std::make_shared<const Version>(version)};
  check(std::string(kJournalMagic).append(*encode_record(record)));
  return 0;
}
