/// The format of the journal on disk: a first line that identifies the file, then records, each
/// with its length and checksums. Pure.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// The first bytes of every file.
inline constexpr std::string_view kJournalMagic = "davit sandbox data 1\n";

/// One record:
///
///   4 bytes  length of the payload, least significant byte first, as all numbers
///   4 bytes  CRC-32 of the payload
///   4 bytes  CRC-32 of the 8 bytes before: a damaged length must not look like a torn tail
///   payload  one line of JSON about the object, a line feed, then the object as JSON
struct JournalRecord {
  enum class Kind {
    kPut,       ///< The object exists from now on, whatever it was before.
    kRemove,    ///< It is gone; `object` has no text.
    kRevision,  ///< Nothing but the store's revision; the first record of a snapshot.
  };
  Kind kind = Kind::kPut;
  Collection collection;
  VersionPtr object;  ///< Never null; its revision is the store's after the record.
};

/// Without kJournalMagic. kInvalid: the object is too large, which objects that clients may write
/// are not.
[[nodiscard]] Result<std::string> encode_record(const JournalRecord& record);

struct ParsedJournal {
  std::vector<JournalRecord> records;
  /// The end of the complete records. The bytes behind it are a torn write that was never
  /// acknowledged.
  std::size_t bytes = 0;
};

/// Parses a whole file. A torn first record makes an empty journal, as do zeros up to the end of
/// the file, which a power failure can leave. Any other invalid record is kInvalid and named by its
/// offset.
[[nodiscard]] Result<ParsedJournal> parse_journal(std::string_view content);

}  // namespace davit::sandbox
