// Compiles the precompiled headers of cmake/targets.cmake; see there.
int main() { return 0; }
