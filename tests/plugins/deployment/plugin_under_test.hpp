/// The plugin as the host meets it: its note and its table.
#pragma once

#include <davit/abi.h>

#include <string>

namespace davit::deployment {

/// The JSON text of the ELF note.
[[nodiscard]] std::string declared_note();

/// The InitFunc of the table's only row.
[[nodiscard]] davit_init_fn controller_init();

}  // namespace davit::deployment
