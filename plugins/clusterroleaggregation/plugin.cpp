/// The plugin's entry: its note and the table of its controllers.
#include "plugins/clusterroleaggregation/note.hpp"

DAVIT_PLUGIN(davit::clusterroles::declare);
