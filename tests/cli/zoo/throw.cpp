#include <stdexcept>

extern "C" void zoo_throw();
void zoo_throw() { throw std::runtime_error("the zoo is open"); }
