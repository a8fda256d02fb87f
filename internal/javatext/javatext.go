// Package javatext turns bytes into text as Java does, where the output has to
// be the same to the byte.
package javatext

import "unicode/utf8"

const replacement = "\uFFFD"

// AppendUTF8 appends b decoded as UTF-8 by Java's String constructor and
// encoded again: what isn't UTF-8 becomes U+FFFD, one for each part that Java
// takes for malformed. That differs from Go, where it is one for each byte, and
// from the WHATWG rule for encoded surrogates, which are one part here.
func AppendUTF8(dst, b []byte) []byte {
	if utf8.Valid(b) {
		return append(dst, b...)
	}
	for len(b) > 0 {
		if b[0] < utf8.RuneSelf {
			n := 1
			for n < len(b) && b[n] < utf8.RuneSelf {
				n++
			}
			dst = append(dst, b[:n]...)
			b = b[n:]
			continue
		}
		if r, n := utf8.DecodeRune(b); r != utf8.RuneError || n > 1 {
			dst = append(dst, b[:n]...)
			b = b[n:]
			continue
		}
		dst = append(dst, replacement...)
		b = b[malformed(b):]
	}
	return dst
}

// malformed is the number of bytes at the start of b that Java replaces by one
// U+FFFD; b starts with something that isn't UTF-8.
func malformed(b []byte) int {
	switch {
	case b[0]>>4 == 0xe:
		return malformed3(b)
	case b[0]>>3 == 0x1e:
		return malformed4(b)
	}
	return 1 // a stray continuation byte, C0, C1, F8 and above, or a cut pair
}

func continuation(c byte) bool { return c&0xc0 == 0x80 }

// malformed3 is for a lead byte E0–EF: an overlong form or a missing second
// byte is one byte, a missing third is two, an encoded surrogate is three.
func malformed3(b []byte) int {
	if len(b) < 2 {
		return 1
	}
	if (b[0] == 0xe0 && b[1]&0xe0 == 0x80) || !continuation(b[1]) {
		return 1
	}
	if len(b) < 3 || !continuation(b[2]) {
		return 2
	}
	return 3
}

// malformed4 is for a lead byte F0–F7.
func malformed4(b []byte) int {
	if b[0] > 0xf4 || len(b) < 2 {
		return 1
	}
	if (b[0] == 0xf0 && (b[1] < 0x90 || b[1] > 0xbf)) || (b[0] == 0xf4 && b[1]&0xf0 != 0x80) || !continuation(b[1]) {
		return 1
	}
	if len(b) < 3 || !continuation(b[2]) {
		return 2
	}
	return 3
}
