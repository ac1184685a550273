// Command gensdk writes the typed SDKs that a Pulumi package's schema describes.
//
// It does what `pulumi package gen-sdk` does, for which the engine asks a language host that the modules here do not
// offer in a fitting version.
//
// usage: gensdk SCHEMA LANGUAGE FOLDER
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "gensdk"

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: gensdk SCHEMA LANGUAGE FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintf(os.Stderr, "gensdk: %v\n", err)
		os.Exit(1)
	}
}

func run(schemaFile, language, folder string) error {
	pkg, err := load(schemaFile)
	if err != nil {
		return err
	}
	files, err := generate(pkg, language)
	if err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func load(file string) (*schema.Package, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	// Validated against Pulumi's own schema of schemas. The loader is for other packages, and ours names none.
	pkg, problems, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	if problems.HasErrors() {
		return nil, problems
	}
	return pkg, nil
}

func generate(pkg *schema.Package, language string) (map[string][]byte, error) {
	switch language {
	case "python":
		return python.GeneratePackage(tool, pkg, nil, nil)
	case "nodejs":
		return nodejs.GeneratePackage(tool, pkg, nil, nil, false, nil)
	case "go":
		return golang.GeneratePackage(tool, pkg, nil)
	}
	return nil, fmt.Errorf("no SDK for %q: python, nodejs or go", language)
}
