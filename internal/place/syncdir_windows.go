package place

// SyncDir does nothing: a directory has no handle that could be flushed, and
// NTFS journals its names.
func (r rooted) SyncDir(string) error { return nil }
