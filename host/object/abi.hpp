/// The host side of "davit.object/1": the reads of abi.h over our objects.
#pragma once

#include <davit/abi.h>

namespace davit::host {

/// Fills every function of the table that needs no davit_host, that is all but name, parse, retain,
/// retained and release, which are left alone. Does not touch `size`. The functions are
/// thread-safe.
void fill_object_table(davit_object_v1& table);

}  // namespace davit::host
