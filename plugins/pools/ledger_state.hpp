/// The Ledger as a swap hands it over.
#pragma once

#include <davit/json_writer.hpp>
#include <davit/key.hpp>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <string>
#include <utility>
#include <vector>

#include "plugins/pools/ledger.hpp"

namespace davit::pools {

struct LedgerState {
  std::vector<std::pair<std::string, Holder>> holders;  ///< With their UIDs.
  std::vector<Key> waiting;
};

/// The holders that got their addresses by ensure(), and the keys of those that wait. The statuses
/// of Services say the rest.
void write_ledger(const Ledger& ledger, JsonWriter& out);
/// An error for every defect: the text may be arbitrary.
[[nodiscard]] Result<LedgerState> read_ledger(Value state);

}  // namespace davit::pools
