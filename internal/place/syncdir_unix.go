//go:build unix

package place

func (r rooted) SyncDir(name string) error {
	f, err := r.root.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return f.Sync()
}
