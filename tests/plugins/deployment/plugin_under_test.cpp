#include "tests/plugins/deployment/plugin_under_test.hpp"

// Included, not linked: the note has no name outside of its file.
#include "plugins/deployment/plugin.cpp"  // NOLINT(bugprone-suspicious-include)

namespace davit::deployment {

std::string declared_note() { return davit_note_.text; }

davit_init_fn controller_init() { return davit_plugin_v1()->rows[0].init; }

}  // namespace davit::deployment
