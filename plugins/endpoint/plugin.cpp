/// The plugin's entry: its note, and the table of its controllers.
#include <davit/entry.hpp>

#include "plugins/endpoint/endpoints_controller.hpp"
#include "plugins/endpoint/endpointslice_controller.hpp"
#include "plugins/endpoint/note.hpp"

DAVIT_PLUGIN(DAVIT_ENDPOINT_NOTE,
             {"endpoints-controller", &davit::endpoint::EndpointsController::open},
             {"endpointslice-controller", &davit::endpoint::EndpointSliceController::open});
