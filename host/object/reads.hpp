/// The reads of "davit.object/1" as plain functions; abi.h documents each. Internal to host/object:
/// other folders use Value or the table that fill_object_table() fills. Functions that are not
/// noexcept throw std::bad_alloc.
#pragma once

#include <davit/abi.h>

#include <cstddef>
#include <cstdint>

namespace davit::host::reads {

std::int32_t kind(davit_value value) noexcept;
davit_code member(davit_value value, davit_name name, davit_value* out) noexcept;
davit_code lookup(davit_value value, davit_str key, davit_value* out) noexcept;
davit_code path(davit_value value, const davit_name* names, std::size_t count,
                davit_value* out) noexcept;
std::size_t count(davit_value value) noexcept;
std::size_t elements(davit_value array, std::size_t first, davit_value* out,
                     std::size_t capacity) noexcept;
davit_code members(davit_value object, std::size_t first, davit_member* out, std::size_t capacity,
                   std::size_t* written) noexcept;
davit_code string(davit_value value, davit_str* out) noexcept;
davit_code integer(davit_value value, std::int64_t* out) noexcept;
davit_code number(davit_value value, davit_str* out) noexcept;
davit_code boolean(davit_value value, std::int32_t* out) noexcept;
davit_code equal(davit_value a, davit_value b, std::int32_t* out);
davit_code hash(davit_value value, std::uint64_t* out);
davit_code json(davit_value value, const davit_sink* sink);

}  // namespace davit::host::reads
