/// A stack for signal handlers, for a thread that has used up its own.
#pragma once

namespace davit::host {

/// Gives the calling thread an alternate signal stack for as long as it lives, unless it has one.
/// Its pages cost nothing before a handler runs on them.
void ensure_alternate_stack() noexcept;

}  // namespace davit::host
