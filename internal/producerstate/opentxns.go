package producerstate

// openTxns are the transactions without a marker, by first offset. As in
// Kafka's map, a second one with the same first offset takes the place of the
// first. The smallest offset is at hand through a heap from which removed
// offsets are dropped only when they come to the top, so that starting and
// completing costs a logarithm however many are open.
type openTxns struct {
	byOffset map[int64]int64 // first offset to producer id
	heap     []int64         // all offsets of byOffset, and stale ones
}

func (o *openTxns) reset() {
	clear(o.byOffset)
	o.heap = o.heap[:0]
}

func (o *openTxns) start(first, producerID int64) {
	if _, known := o.byOffset[first]; !known {
		o.push(first)
	}
	o.byOffset[first] = producerID
}

// complete removes a transaction, or says that there is none.
func (o *openTxns) complete(first int64) bool {
	if _, known := o.byOffset[first]; !known {
		return false
	}
	delete(o.byOffset, first)
	// Below one transaction that hangs, removed offsets never come to the top.
	if len(o.heap) > 2*len(o.byOffset)+64 {
		o.heap = o.heap[:0]
		for offset := range o.byOffset {
			o.push(offset)
		}
	}
	return true
}

// first is the transaction with the smallest first offset.
func (o *openTxns) first() (first, producerID int64, ok bool) {
	for len(o.heap) > 0 {
		if id, open := o.byOffset[o.heap[0]]; open {
			return o.heap[0], id, true
		}
		o.pop()
	}
	return 0, 0, false
}

// firstOfOthers is the smallest first offset of a transaction that isn't
// producerID's.
func (o *openTxns) firstOfOthers(producerID int64) (first int64, ok bool) {
	var own []int64
	defer func() {
		for _, offset := range own {
			o.push(offset)
		}
	}()
	for {
		first, id, ok := o.first()
		if !ok || id != producerID {
			return first, ok
		}
		own = append(own, first)
		o.pop()
	}
}

func (o *openTxns) push(offset int64) {
	o.heap = append(o.heap, offset)
	for i := len(o.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if o.heap[parent] <= o.heap[i] {
			return
		}
		o.heap[parent], o.heap[i] = o.heap[i], o.heap[parent]
		i = parent
	}
}

func (o *openTxns) pop() {
	last := len(o.heap) - 1
	o.heap[0] = o.heap[last]
	o.heap = o.heap[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if o.heap[child] < o.heap[least] {
				least = child
			}
		}
		if least == i {
			return
		}
		o.heap[i], o.heap[least] = o.heap[least], o.heap[i]
		i = least
	}
}
