/// The phase of a volume.
#pragma once

#include <davit/result.hpp>
#include <string_view>

#include "plugins/shared/volumes/views.hpp"
#include "plugins/volumebinder/parts.hpp"

namespace davit::volumebinder {

/// Writes the phase unless the volume has it.
[[nodiscard]] Status set_phase(const Parts& parts, const volumes::Volume& volume,
                               std::string_view phase, std::string_view message = {});
/// Makes the phase Failed, with the text as its message and in an Event; nothing if it is.
[[nodiscard]] Status set_failed(const Parts& parts, const volumes::Volume& volume,
                                std::string_view reason, std::string_view text);
/// Undoes the binding of a volume, which is then available.
[[nodiscard]] Status unbind(const Parts& parts, const volumes::Volume& volume);

}  // namespace davit::volumebinder
