/// Options of AddressSanitizer in davit and its tests; ASAN_OPTIONS overrides them.

/// LeakSanitizer of g++ 12 reads the size of a library's thread-local storage from the bytes before
/// it if the storage begins 16 bytes into a page. If ASan has allocated the storage, these bytes
/// mean nothing, and the process crashes at its exit, as chance decides. Plugins have such storage.
/// It only refers to calls, so leaks are found without it.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "intercept_tls_get_addr=0"; }
