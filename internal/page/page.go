package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
)

// MaxBytes is how large a page of a segment may be.
const MaxBytes = 500_000

//go:embed web
var web embed.FS

// document is a kind of page: a template, its style and its script.
type document struct {
	template *template.Template
	style    template.CSS
	script   template.JS
	policy   string
}

// newDocument puts a document together of parts below web.
func newDocument(body string, scripts ...string) *document {
	style, script := join("base.css", body+".css"), join(scripts...)
	d := &document{
		template: template.Must(template.New(body+".html").Funcs(functions).ParseFS(web, "web/"+body+".html", "web/parts.html")),
		style:    template.CSS(style),
		script:   template.JS(script),
	}
	d.policy = "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) + "; base-uri 'none'; form-action 'none'"
	return d
}

func join(names ...string) string {
	var all bytes.Buffer
	for _, name := range names {
		part, err := web.ReadFile("web/" + name)
		if err != nil {
			panic(err) // the files are part of the program
		}
		all.Write(part)
	}
	return all.String()
}

// hash names an inline style or script in a content security policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// frame is what every page has; Page is its content.
type frame struct {
	Policy  string
	Style   template.CSS
	Script  template.JS
	Version string
	Page    any
}

func (d *document) write(w io.Writer, version string, content any) error {
	return d.template.Execute(w, frame{Policy: d.policy, Style: d.style, Script: d.script, Version: version, Page: content})
}
