package sanity

// heap is a priority queue of values, the least first.
type heap[T any] struct {
	less func(a, b T) bool
	all  []T
}

func (h *heap[T]) push(v T) {
	h.all = append(h.all, v)
	for i := len(h.all) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.less(h.all[i], h.all[parent]) {
			break
		}
		h.all[i], h.all[parent] = h.all[parent], h.all[i]
		i = parent
	}
}

// pop takes the least value out; there must be one.
func (h *heap[T]) pop() T {
	least := h.all[0]
	last := len(h.all) - 1
	h.all[0] = h.all[last]
	h.all = h.all[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return least
		}
		if child+1 < last && h.less(h.all[child+1], h.all[child]) {
			child++
		}
		if !h.less(h.all[child], h.all[i]) {
			return least
		}
		h.all[i], h.all[child] = h.all[child], h.all[i]
		i = child
	}
}
