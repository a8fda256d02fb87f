// Package render renders findings for machines other than kafsck's own JSON:
// JUnit XML, SARIF and the annotations of GitHub Actions; and explanations of
// codes. Renderers stream: what they hold doesn't grow with the number of
// findings, except within one suite of JUnit, which has a bound.
//
// Names of files and texts from them are hostile: every renderer writes output
// that is well-formed whatever is in them.
package render
