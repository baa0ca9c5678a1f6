/// The note with which a test runs a controller.
#pragma once

#include <string>
#include <utility>

#include "host/loading/note.hpp"
#include "testing/cluster_server.hpp"

namespace davit::testing {

/// The declaration in a note. Ends the process if the host would refuse the note.
[[nodiscard]] inline host::PluginDeclaration read_note(const std::string& note) {
  host::NoteResult read = host::parse_note(note);
  std::string mistakes;
  for (const std::string& each : read.mistakes) mistakes += "\n  " + each;
  if (!read.ok()) fail("the note is not one that the host takes:" + mistakes);
  return std::move(read.declaration);
}

}  // namespace davit::testing
