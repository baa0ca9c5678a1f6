/// The plugin's entry: its note and the table of its controllers.
#include "plugins/endpointslicemirroring/note.hpp"

DAVIT_PLUGIN(davit::endpointslicemirroring::declare);
