# Warnings, sanitizers and the linker, for every target of the tree.
find_package(Threads REQUIRED)
find_program(DAVIT_CCACHE ccache)
if(DAVIT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths relative to the tree, so that another checkout finds the objects of this one. ccache keeps nothing that uses a
  # precompiled header without the sloppiness, and finds nothing in another checkout without the sum of precompiled_sum.sh.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1 ${DAVIT_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# Interface target that every davit target links.
add_library(davit_options INTERFACE)
# The presets optimise the product, which makes tests ten times as fast for a fifth more of the compiler's time. Sources of
# tests run once and would take twice the time to compile.
set(DAVIT_TEST_OPTIONS $<$<CONFIG:Debug>:-O0>)
# Options of tests that have to follow those of davit_options, as the last of -fsanitize and -fno-sanitize wins.
add_library(davit_test_options INTERFACE)
target_link_libraries(davit_test_options INTERFACE davit_options)
target_include_directories(davit_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(davit_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
target_compile_options(davit_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
if(DAVIT_WERROR AND NOT DAVIT_SANITIZER)
  # When it optimises, g++ warns of what a sanitizer adds, too.
  target_compile_options(davit_options INTERFACE -Werror)
endif()
# Optimised builds, which get installed, are hardened as Debian's packages are, which bring these flags themselves
# (CMAKE_BUILD_TYPE None). tests/packaging/hardening.py looks for them in the files.
set(hardened $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
target_compile_options(davit_options INTERFACE $<${hardened}:-fstack-protector-strong>
  $<$<AND:${hardened},$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>>:-fcf-protection>)
target_compile_definitions(davit_options INTERFACE $<${hardened}:_FORTIFY_SOURCE=2>)
# The C++ library checks its preconditions in every build: what ends an installed program ends a test first. Sanitizers do not
# see an empty std::optional that is read.
target_compile_definitions(davit_options INTERFACE _GLIBCXX_ASSERTIONS)
target_link_options(davit_options INTERFACE $<${hardened}:-Wl,-z,relro,-z,now,-z,noexecstack>)
if(DAVIT_SANITIZER)
  target_compile_options(davit_options INTERFACE -fsanitize=${DAVIT_SANITIZER} -fno-omit-frame-pointer
    -fno-sanitize-recover=all $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
  target_link_options(davit_options INTERFACE -fsanitize=${DAVIT_SANITIZER})
  if(DAVIT_SANITIZER MATCHES undefined)
    # With g++, these checks of pointers take two fifths of the compiler's time. ASan reports the null pointers and the pointers
    # past their objects that are used, and preset fuzz, with clang, keeps the checks.
    target_compile_options(davit_options INTERFACE
      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-sanitize=null,alignment,object-size,pointer-overflow>)
    # The sources of tests go without them in every build.
    target_compile_options(davit_test_options INTERFACE -fno-sanitize=null,alignment,vptr,pointer-overflow)
  endif()
endif()
# Messages of assertions and tests name files from the root of the tree, and objects do not depend on where it is.
target_compile_options(davit_options INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(DAVIT_PCH)
  # So that ccache sees which precompiled header a source uses, and finds the object again in another checkout.
  target_compile_options(davit_options INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endif()
if(CMAKE_UNITY_BUILD)
  # Joined files see each other's names, and types without linkage look as if a header had them.
  target_compile_options(davit_options INTERFACE -Wno-shadow $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
if(DAVIT_MUTANTS)
  # Not for the precompiled headers: with the same ones, ccache has all objects without a mutant from preset dev.
  target_compile_definitions(davit_options INTERFACE
    $<$<NOT:$<IN_LIST:$<TARGET_PROPERTY:NAME>,davit_library_pch;davit_test_pch>>:DAVIT_MUTANTS>)
endif()
find_program(DAVIT_MOLD mold)
if(DAVIT_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
