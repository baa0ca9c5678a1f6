# Warnings, sanitizers and the linker, for every target of the tree.
find_package(Threads REQUIRED)
find_program(DAVIT_CCACHE ccache)
if(DAVIT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${DAVIT_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${DAVIT_CCACHE})
endif()

# Interface target that every davit target links.
add_library(davit_options INTERFACE)
target_include_directories(davit_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(davit_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<BOOL:${DAVIT_WERROR}>:-Werror>)
target_compile_options(davit_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
if(DAVIT_SANITIZER)
  target_compile_options(davit_options INTERFACE -fsanitize=${DAVIT_SANITIZER} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(davit_options INTERFACE -fsanitize=${DAVIT_SANITIZER})
endif()
if(CMAKE_UNITY_BUILD)
  # Joined files see each other's names, and types without linkage look as if a header had them.
  target_compile_options(davit_options INTERFACE -Wno-shadow $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
find_program(DAVIT_MOLD mold)
if(DAVIT_MOLD AND NOT DAVIT_SANITIZER)
  add_link_options(-fuse-ld=mold)
endif()
