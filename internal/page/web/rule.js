"use strict";
// The rules of a broker, on the batches that the page holds. Offsets are
// relative to the base offset, positions are bytes in the log.

// unpack turns the items of the page's data into columns.
function unpack(text, count) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const b = { n: count, size: new Float64Array(count), position: new Float64Array(count), first: new Float64Array(count), last: new Float64Array(count), from: new Float64Array(count) };
  let at = 0;
  const varint = () => {
    let value = 0, scale = 1, byte;
    do {
      byte = bytes[at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    return value;
  };
  const zigzag = () => {
    const v = varint();
    return v % 2 ? -(v + 1) / 2 : v / 2;
  };
  let end = 0, last = -1, from = 0, n = 0, size = 0, span = 0;
  const push = (gap, hole) => {
    b.size[n] = size;
    b.position[n] = end + hole;
    b.first[n] = last + 1 + gap;
    b.last[n] = b.first[n] + span;
    b.from[n] = from; // as if there were no hole: what a broker would write anew
    end += hole + size;
    from += size;
    last = b.last[n];
    n++;
  };
  while (at < bytes.length) {
    const head = varint();
    if (head === 0) {
      for (let again = varint(); again > 0; again--) push(0, 0);
      continue;
    }
    size = Math.floor(head / 4);
    span = varint();
    const gap = head % 2 ? zigzag() : 0;
    push(gap, head % 4 > 1 ? varint() : 0);
  }
  return b;
}

// build is the index that a broker writes with an interval: a batch gets an
// entry if more than the interval was appended since the entry before.
function build(b, interval) {
  const item = [], offset = [];
  let since = 0;
  for (let i = 0; i < b.n; i++) {
    if (since > interval) {
      item.push(i);
      offset.push(b.last[i]);
      since = 0;
    }
    since += b.size[i];
  }
  return { n: item.length, item, offset, position: b.from };
}

// onDisk is the index as it was found. An entry that leads to no batch, or to
// one that begins above its offset, can't be used.
function onDisk(b, index) {
  const marks = atob(index.marks), list = [];
  for (let i = 0; i < b.n; i++) {
    if (marks.charCodeAt(i >> 3) >> (i & 7) & 1) list.push([i, b.last[i]]);
  }
  for (const [offset, position] of index.odd) {
    const i = itemAt(b, position);
    if (i >= 0 && b.position[i] === position && position > 0 && b.first[i] <= offset) list.push([i, offset]);
  }
  list.sort((x, y) => x[0] - y[0] || x[1] - y[1]);
  return { n: list.length, item: list.map((e) => e[0]), offset: list.map((e) => e[1]), position: b.position };
}

// itemAt is the last item that begins at or in front of a position, or -1.
function itemAt(b, position) {
  let lo = 0, hi = b.n;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (b.position[mid] <= position) lo = mid + 1; else hi = mid;
  }
  return lo - 1;
}

const warmEntries = 8192 / 8;

// search is a broker's search for the largest entry at or below a target:
// first in the warm section at the end, then in the rest. compare(slot) is
// negative where the entry is below the target.
function search(n, compare) {
  const read = [];
  if (n === 0) return { slot: -1, read, warm: false };
  const look = (slot) => {
    read.push(slot);
    return compare(slot);
  };
  let lo = Math.max(0, n - 1 - warmEntries), hi = n - 1;
  const warm = look(lo) < 0;
  if (!warm) {
    hi = lo;
    lo = 0;
    if (look(0) > 0) return { slot: -1, read, warm };
  }
  while (lo < hi) {
    const mid = (lo + hi + 1) >> 1, c = look(mid);
    if (c === 0) return { slot: mid, read, warm };
    if (c > 0) hi = mid - 1; else lo = mid;
  }
  return { slot: lo, read, warm };
}

// lookup does what a broker does with an offset.
function lookup(b, index, target) {
  const s = search(index.n, (slot) => index.offset[slot] - target);
  const start = s.slot < 0 ? 0 : index.item[s.slot];
  let at = start;
  while (at < b.n && b.last[at] < target) at++;
  const found = at < b.n && target >= 0 ? at : -1, end = Math.min(at, b.n - 1);
  const begin = s.slot < 0 ? 0 : index.position[start];
  return {
    slot: s.slot, read: s.read, warm: s.warm, start, found, startPosition: begin,
    batches: b.n === 0 ? 0 : end - start + 1,
    bytes: b.n === 0 ? 0 : index.position[end] + b.size[end] - begin,
  };
}

// costs looks every offset up, and adds up what that takes.
function costs(b, index) {
  const c = { entries: index.n, indexBytes: index.n * 8, offsets: 0, mean: 0, p99: 0, max: 0, batchesMax: 0, readMean: 0, scans: [], counts: [] };
  const equal = new Float64Array(index.n), behind = new Float64Array(index.n);
  let before = 0, sum = 0, slot = -1;
  const add = (n, bytes, batches) => {
    if (n <= 0) return;
    c.offsets += n;
    sum += n * bytes;
    c.max = Math.max(c.max, bytes);
    c.batchesMax = Math.max(c.batchesMax, batches);
    c.scans.push(bytes);
    c.counts.push(n);
  };
  for (let i = 0; i < b.n; i++) {
    const end = index.position[i] + b.size[i], last = Math.max(b.last[i], b.first[i]);
    let next = b.first[i];
    const upTo = (offset) => { // lookups of next up to offset, itself excluded
      const n = offset - next, start = slot < 0 ? 0 : index.item[slot];
      if (n <= 0) return;
      add(n, end - (slot < 0 ? 0 : index.position[start]), i - start + 1);
      if (slot < 0) before += n; else behind[slot] += n;
      next = offset;
    };
    while (slot + 1 < index.n && index.item[slot + 1] <= i && index.offset[slot + 1] <= last) {
      upTo(index.offset[slot + 1]);
      slot++;
      if (next === index.offset[slot]) {
        add(1, end - index.position[index.item[slot]], i - index.item[slot] + 1);
        equal[slot]++;
        next++;
      }
    }
    upTo(last + 1);
  }
  if (c.offsets === 0) return c;
  c.mean = sum / c.offsets;
  c.p99 = Math.min(quantile(c, 0.99), c.max);
  let reads = index.n ? 2 * before : 0;
  for (let s = 0; s < index.n; s++) {
    if (equal[s]) reads += equal[s] * search(index.n, (x) => Math.sign(x - s)).read.length;
    if (behind[s]) reads += behind[s] * search(index.n, (x) => (x <= s ? -1 : 1)).read.length;
  }
  c.readMean = reads / c.offsets;
  return c;
}

// quantile is the smallest scan that a share p of all lookups does not exceed;
// above 128 KiB to 1 in 65536, rounded up.
function quantile(c, p) {
  const order = Array.from(c.scans.keys()).sort((x, y) => c.scans[x] - c.scans[y]);
  let rank = Math.max(Math.ceil(p * c.offsets), 1);
  for (const i of order) {
    if ((rank -= c.counts[i]) > 0) continue;
    const v = c.scans[i];
    if (v < 131072) return v;
    const step = 2 ** (Math.floor(Math.log2(v)) - 16);
    return (Math.floor(v / step) + 1) * step - 1;
  }
  return 0;
}
