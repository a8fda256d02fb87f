//go:build kafka

package oracle

import (
	"fmt"
	"strings"
)

// Error is a Java exception.
type Error struct {
	// Class is the full name of the exception's class.
	Class   string `json:"class"`
	Message string `json:"message"`
	// At is the throwing method, as Class.method.
	At    string `json:"at"`
	Cause *Error `json:"cause"`
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s (at %s)", e.Class, e.Message, e.At)
	if e.Cause != nil {
		s += ", caused by " + e.Cause.Error()
	}
	return s
}

// IsA tells whether the exception is of the class with this simple name, such
// as CorruptRecordException. It looks neither at superclasses nor at causes,
// and a nil Error is none.
func (e *Error) IsA(simple string) bool {
	return e != nil && e.Class[strings.LastIndexAny(e.Class, ".$")+1:] == simple
}
