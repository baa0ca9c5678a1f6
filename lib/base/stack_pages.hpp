/// Memory of a thread's stack.
#pragma once

#include <cstddef>

namespace davit {

/// Gives back the pages of the calling thread's stack that deeper calls have used and the present
/// ones do not. They return as zeros at the next deeper call, for a minor fault each. For threads
/// that are about to wait for long: a handshake or a list takes several pages, waiting takes two.
/// Does nothing on the main thread, whose stack grows by other rules.
void release_stack_pages();

}  // namespace davit
