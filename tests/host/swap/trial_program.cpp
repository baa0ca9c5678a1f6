/// The part of davit that opens plugins for a trial.
#include "host/loading/trial.hpp"

int main(int argc, char** argv) {
  davit::host::open_for_trial({argv + (argc > 2 ? 2 : argc), argv + argc});
}
