/// The plugin's entry: its note, and the table with its one controller.
#include <davit/entry.hpp>

#include "plugins/namespace/namespace_controller.hpp"
#include "plugins/namespace/note.hpp"

DAVIT_PLUGIN(DAVIT_NAMESPACE_NOTE,
             {"namespace-controller", &davit::namespaces::NamespaceController::open});
