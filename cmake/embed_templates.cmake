# cmake -DSOURCE=DIR -DOUTPUT=FILE -P embed_templates.cmake: the files below DIR as cli/plugin_new.hpp wants them.
file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/*)
list(SORT files)
set(rows "")
foreach(file IN LISTS files)
  string(REGEX MATCH "^[^/]+" folder ${file})
  string(LENGTH ${folder}/ begin)
  string(SUBSTRING ${file} ${begin} -1 path)
  string(REGEX REPLACE "\\.in$" "" path ${path})
  file(READ ${SOURCE}/${file} text)
  string(APPEND rows "    {\"${folder}\", \"${path}\", R\"davit_text(${text})davit_text\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"cli/plugin_new.hpp\"\n\nnamespace davit::host {\nnamespace {\n\n"
  "constexpr TemplateFile kFiles[] = {\n${rows}};\n\n}  // namespace\n\n"
  "std::span<const TemplateFile> plugin_template_files() { return kFiles; }\n\n}  // namespace davit::host\n")
