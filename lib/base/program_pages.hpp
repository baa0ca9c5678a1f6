/// Memory that holds what the process executes.
#pragma once

namespace davit {

/// Gives back the pages of the program, its libraries and its plugins that are only read from their
/// files. Those still in use return from the page cache at the next access, for a minor fault of
/// some microseconds; those that only the start needed (the loader's symbol tables, code that ran
/// once) stay away. A segment with a page that was written to, as by debuggers and uprobes do for
/// their breakpoints, is left as it is; so is everything if /proc/self/pagemap cannot be read. May
/// be called on any thread.
void release_program_pages();

}  // namespace davit
