// Renders the templates of a Helm chart with the engine that Helm uses: Go's text/template with the functions of sprig, and
// include and toYaml as Helm defines them. Reads {"templates": {NAME: TEXT}, "files": {NAME: TEXT}, "data": {...}} and prints
// the rendered templates by their names, both JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

type files map[string]string

// Get is what templates call as .Files.Get.
func (all files) Get(name string) string { return all[name] }

func main() {
	var in struct {
		Templates map[string]string
		Files     files
		Data      map[string]interface{}
	}
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		fail(err)
	}
	in.Data["Files"] = in.Files
	all := template.New("chart").Option("missingkey=error")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out strings.Builder
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		out, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(out), "\n"), err
	}
	all.Funcs(functions)
	for name, text := range in.Templates {
		if _, err := all.New(name).Parse(text); err != nil {
			fail(err)
		}
	}
	rendered := map[string]string{}
	for name := range in.Templates {
		var out strings.Builder
		if err := all.ExecuteTemplate(&out, name, in.Data); err != nil {
			fail(err)
		}
		rendered[name] = out.String()
	}
	if err := json.NewEncoder(os.Stdout).Encode(rendered); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
