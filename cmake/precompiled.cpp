// What the precompiled headers of cmake/targets.cmake are made with; see there.
int main() { return 0; }
