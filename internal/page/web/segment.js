const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const batches = unpack(data.items, data.count);
const base = BigInt(data.base);
const exact = data.group === 1;
const about = exact ? "" : "≈ ";
const state = { stop: -1, interval: 0, disk: false, target: 0, index: null, costs: null, found: null };

const number = (n) => n.toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
const absolute = (relative) => (base + BigInt(Math.round(relative))).toString();
function bytesText(n) {
  if (n < 1024) return Math.round(n) + " B";
  let i = -1;
  while (n >= 1024 && i < 5) { n /= 1024; i++; }
  return n.toFixed(1) + " " + "KMGTPE"[i] + "iB";
}
const counted = (n, one, many) => number(n) + " " + (n === 1 ? one : many);

// ---- what the reader asks for

function useInterval(interval) {
  state.disk = false;
  state.interval = interval;
  state.index = build(batches, interval);
  state.stop = data.stops.findIndex((s) => s.interval === interval);
  recount();
}
function setDisk() {
  state.disk = true;
  state.index = onDisk(batches, data.index);
  state.stop = -1;
  recount();
}
function recount() {
  // Where neighbours are taken together, the counts of every stop are known
  // all the same: they were made from all batches.
  state.costs = costs(batches, state.index);
  const s = exact ? undefined : data.stops[state.stop];
  if (s) Object.assign(state.costs, { entries: s.entries, indexBytes: s.indexBytes, mean: s.mean, p99: s.p99, max: s.max, batchesMax: s.batchesMax, readMean: s.readMean });
  else if (state.disk) Object.assign(state.costs, { entries: data.index.entries, indexBytes: data.index.entries * 8 });
  find();
}
function setTarget(target) {
  state.target = target;
  find();
}
function find() {
  state.found = lookup(batches, state.index, state.target);
  show();
}

// ---- pictures

const style = () => {
  const s = getComputedStyle(document.documentElement);
  return (name) => s.getPropertyValue("--" + name).trim();
};
function canvas(id, height) {
  const c = $(id), width = Math.max(c.clientWidth, 100), dense = devicePixelRatio || 1;
  c.width = width * dense;
  c.height = height * dense;
  c.style.height = height + "px";
  const g = c.getContext("2d");
  g.scale(dense, dense);
  g.clearRect(0, 0, width, height);
  g.font = "12px system-ui, sans-serif";
  return { g, width, height, color: style() };
}

function drawIndex() {
  const { index, found } = state, n = index.n;
  const width = $("index").clientWidth;
  let cell = 22;
  while (cell > 5 && Math.ceil(n / Math.floor(width / cell)) * cell > 150) cell--;
  const columns = Math.max(1, Math.floor(width / cell)), room = columns * Math.max(1, Math.floor(150 / cell));
  const each = Math.max(1, Math.ceil(n / room)), cells = Math.ceil(n / each);
  const { g, color } = canvas("index", Math.max(1, Math.ceil(cells / columns)) * cell + 2);
  const order = new Map();
  found.read.forEach((slot, i) => { const c = Math.floor(slot / each); if (!order.has(c)) order.set(c, i + 1); });
  const used = found.slot < 0 ? -1 : Math.floor(found.slot / each);
  for (let c = 0; c < cells; c++) {
    const x = c % columns * cell, y = Math.floor(c / columns) * cell;
    g.fillStyle = color(order.has(c) || c === used ? "read" : "idle");
    g.fillRect(x + 1, y + 1, cell - 1.5, cell - 1.5);
    if (order.has(c) && cell >= 14) {
      g.fillStyle = color("paper");
      g.textAlign = "center";
      g.fillText(order.get(c), x + cell / 2, y + cell / 2 + 4);
    }
    if (c === used) {
      g.strokeStyle = color("gold");
      g.lineWidth = 2.5;
      g.strokeRect(x + 1, y + 1, cell - 2, cell - 2);
    }
  }
  const warm = Math.max(0, n - 1 - warmEntries);
  const text = n === 0 ? "No entry: every lookup scans from the start of the log."
    : (each > 1 ? `A cell is ${each} entries. ` : "A cell is one entry. ") + (cell < 14 ? "" : "Numbers tell the order of the reads. ") + "A gold frame marks the entry that is used. " +
      (warm === 0 ? "All of it is the warm section, which a broker searches first." : `The last ${warmEntries + 1} entries are the warm section, which a broker searches first.`);
  $("indexText").textContent = text;
  $("index").setAttribute("aria-label", `${number(n)} entries, ${found.read.length} read.`);
}

// strip draws the log between two positions, true to size.
function strip(id, height, from, to) {
  const { g, width, color } = canvas(id, height), { found } = state;
  const scale = width / Math.max(1, to - from), at = (p) => (p - from) * scale;
  const first = Math.max(0, itemAt(batches, from)), lastScan = found.found < 0 ? batches.n - 1 : found.found;
  let drawnTo = -1;
  for (let i = first; i < batches.n && batches.position[i] < to; i++) {
    const x0 = at(batches.position[i]), x1 = at(batches.position[i] + batches.size[i]), scanned = i >= found.start && i <= lastScan;
    if (x1 - x0 < 1 && Math.floor(x1) <= drawnTo && !scanned) continue;
    drawnTo = Math.floor(x1);
    g.fillStyle = color(scanned ? "gold" : "idle");
    const gap = x1 - x0 > 4 ? 1 : 0;
    g.fillRect(x0, 8, Math.max(x1 - x0 - gap, 1), height - 16);
  }
  if (found.found >= 0) {
    const i = found.found, x0 = at(batches.position[i]), x1 = at(batches.position[i] + batches.size[i]);
    if (x1 > 0 && x0 < width) {
      g.strokeStyle = color("landing");
      g.lineWidth = 3;
      const w = Math.max(x1 - x0, 7);
      g.strokeRect(Math.min(Math.max(x0 - (w - (x1 - x0)) / 2, 1.5), width - w - 1.5), 3, w, height - 6);
    }
  }
  const entry = state.index.item;
  g.fillStyle = color("read");
  if (entry.length * 3 < width || id === "zoom") {
    for (const i of entry) {
      const x = at(batches.position[i]);
      if (x >= 0 && x <= width) g.fillRect(x, height - 7, 2, 7);
    }
  }
  $(id).view = { from, to };
}

function drawLog() {
  strip("log", 64, 0, Math.max(data.size, 1));
  const { found } = state, a = found.start, z = found.found < 0 ? batches.n - 1 : found.found;
  $("logText").textContent = `The whole log, ${bytesText(data.size)}, true to size. Ticks below: batches that the index remembers.`;
  if (batches.n === 0) return;
  const from = batches.position[a], to = batches.position[z] + batches.size[z];
  const pad = Math.max((to - from) * 0.25, batches.size[z]);
  strip("zoom", 64, Math.max(0, from - pad), Math.min(data.size, to + pad));
  $("zoomText").textContent = `The part around the scan: position ${number(found.startPosition)} on, ${about}${counted(found.batches, "batch", "batches")}, ${about}${bytesText(found.bytes)}.`;
  $("log").setAttribute("aria-label", $("logText").textContent);
  $("zoom").setAttribute("aria-label", $("zoomText").textContent);
}

// drawSpread shows how much lookups scan, by powers of two.
function drawSpread() {
  const { g, width, height, color } = canvas("spread", 150), c = state.costs;
  const bins = new Map();
  let low = 99, high = 0, most = 0;
  c.scans.forEach((scan, i) => {
    const bin = Math.ceil(Math.log2(Math.max(scan, 1)) * 2);
    bins.set(bin, (bins.get(bin) || 0) + c.counts[i]);
    low = Math.min(low, bin);
    high = Math.max(high, bin);
  });
  low = Math.min(low, 12);
  high = Math.max(high, low + 11);
  for (const n of bins.values()) most = Math.max(most, n);
  const step = width / (high - low + 1), mine = Math.ceil(Math.log2(Math.max(state.found.bytes, 1)) * 2);
  for (let bin = low; bin <= high; bin++) {
    const x = (bin - low) * step, h = (bins.get(bin) || 0) / Math.max(most, 1) * (height - 30);
    g.fillStyle = color("gold");
    g.fillRect(x + 1, height - 20 - h, step - 2, Math.max(h, bins.has(bin) ? 1 : 0));
    if (bin === mine && state.found.found >= 0) {
      g.strokeStyle = color("landing");
      g.lineWidth = 2;
      g.strokeRect(x + 1, height - 20 - Math.max(h, 6), step - 2, Math.max(h, 6));
    }
    if (bin % 4 === 0 && x < width - 40) {
      g.fillStyle = color("faint");
      g.textAlign = "left";
      g.fillText(bytesText(2 ** (bin / 2)), x + 2, height - 5);
    }
  }
  const text = `Of ${number(c.offsets)} offsets, a lookup reads ${c.readMean.toFixed(1)} entries and scans ${bytesText(c.mean)} on average; 99 of 100 scan no more than ${bytesText(c.p99)}, the worst ${bytesText(c.max)} (${counted(c.batchesMax, "batch", "batches")}).`;
  $("spreadText").textContent = (exact || state.stop >= 0 ? "" : "About: ") + text;
  $("spread").setAttribute("aria-label", text);
}

// drawTrade shows both prices against the interval.
function drawTrade() {
  const { g, width, height, color } = canvas("trade", 210), stops = data.stops, log = (n) => Math.log2(Math.max(n, 8));
  let top = 10;
  for (const s of stops) top = Math.max(top, log(s.indexBytes), log(s.mean));
  const left = 62, x = (i) => left + i / Math.max(1, stops.length - 1) * (width - left - 12), y = (n) => height - 26 - (log(n) - 3) / (top - 3) * (height - 40);
  g.fillStyle = color("faint");
  g.textAlign = "right";
  for (let p = 5; p <= top; p += 5) g.fillText(bytesText(2 ** p), left - 6, y(2 ** p) + 4);
  g.textAlign = "center";
  const every = Math.ceil(stops.length / Math.max(2, width / 75));
  stops.forEach((s, i) => { if (i % every === 0) g.fillText(i === 0 ? "every" : bytesText(s.interval).replace(".0", ""), Math.min(x(i), width - 26), height - 6); });
  for (const [key, name] of [["indexBytes", "read"], ["mean", "gold"]]) {
    g.strokeStyle = color(name);
    g.lineWidth = 3;
    g.beginPath();
    stops.forEach((s, i) => (i ? g.lineTo(x(i), y(s[key])) : g.moveTo(x(i), y(s[key]))));
    g.stroke();
  }
  g.strokeStyle = color("landing");
  g.lineWidth = 2;
  if (state.disk) g.setLineDash([4, 4]); // about there: the interval is a guess
  g.strokeRect(x(state.stop < 0 ? $("interval").value : state.stop) - 4, 4, 8, height - 28);
  const c = state.costs;
  $("tradeText").textContent = `${state.disk ? "As it is on disk" : "With this interval"}, ${bytesText(c.indexBytes)} of index buy a mean scan of ${bytesText(c.mean)}.`;
  $("trade").setAttribute("aria-label", $("tradeText").textContent);
}

// ---- words

function show() {
  const { found, costs: c } = state;
  $("intervalText").textContent = state.disk ? "as on disk" : state.interval === 0 ? "0: every batch" : number(state.interval) + " (" + bytesText(state.interval) + ")";
  $("asis").setAttribute("aria-pressed", state.disk);
  $("tEntries").textContent = number(c.entries);
  $("tIndex").textContent = bytesText(c.indexBytes);
  $("tReads").textContent = found.read.length;
  $("tScan").textContent = about + bytesText(found.bytes);
  $("tScanText").textContent = `of the log scanned for it, ${about}${counted(found.batches, "batch", "batches")}`;
  drawIndex();
  drawLog();
  drawSpread();
  drawTrade();
  steps();
  $("result").textContent = JSON.stringify({
    interval: state.disk ? null : state.interval, entries: c.entries, indexBytes: c.indexBytes, scanBytesMean: c.mean, scanBytesP99: c.p99,
    scanBytesMax: c.max, scanBatchesMax: c.batchesMax, entriesReadMean: c.readMean, offset: absolute(state.target),
    entriesRead: found.read, warmSection: found.warm, slot: found.slot, startPosition: found.startPosition, batchesScanned: found.batches,
    bytesScanned: found.bytes, batchPosition: found.found < 0 ? null : batches.position[found.found],
    width: document.documentElement.scrollWidth, wide: innerWidth, requests: performance.getEntriesByType("resource").length, ready: performance.now(),
  });
}

function steps() {
  const { found, index } = state, list = [];
  const entry = (slot) => `slot ${slot} (offset ${absolute(index.offset[slot])})`;
  if (index.n === 0) list.push("The index has no entry, so there is nothing to search.");
  else {
    list.push(`Search the index: ${counted(found.read.length, "entry is", "entries are")} read, in this order: ${found.read.map(entry).join(", ")}.` + (found.warm ? " All in the warm section." : ""));
  }
  list.push(found.slot < 0 ? "No entry at or below the target: start at position 0." : `The nearest entry at or below the target is ${entry(found.slot)}: start at position ${number(found.startPosition)}.`);
  list.push(`Scan the log: ${about}${counted(found.batches, "batch", "batches")}, ${about}${bytesText(found.bytes)}.`);
  const i = found.found;
  list.push(i < 0 ? "Nothing is there: no batch of this segment reaches this offset."
    : exact ? `Land on the batch at position ${number(batches.position[i])}, offsets ${absolute(batches.first[i])} to ${absolute(batches.last[i])}.`
    : `Land among ${data.group} batches from position ${number(batches.position[i])} on, offsets ${absolute(batches.first[i])} to ${absolute(batches.last[i])}.`);
  $("steps").replaceChildren(...list.map((text) => {
    const li = document.createElement("li");
    li.textContent = text;
    return li;
  }));
}

// ---- input

function typed() {
  const text = $("offset").value.trim();
  const valid = /^\d{1,19}$/.test(text);
  $("offset").setAttribute("aria-invalid", !valid);
  if (valid) setTarget(Number(BigInt(text) - base));
}
function goTo(i) {
  if (i < 0 || i >= batches.n) return;
  setTarget(batches.first[i]);
  $("offset").value = absolute(state.target);
}
for (const id of ["log", "zoom"]) {
  $(id).addEventListener("click", (e) => {
    const { from, to } = $(id).view, box = $(id).getBoundingClientRect();
    goTo(itemAt(batches, from + (e.clientX - box.left) / box.width * (to - from)));
  });
  $(id).addEventListener("keydown", (e) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (!step) return;
    e.preventDefault();
    goTo((state.found.found < 0 ? batches.n : state.found.found) + step);
  });
}
$("interval").max = data.stops.length - 1;
$("interval").addEventListener("input", () => useInterval(data.stops[$("interval").value].interval));
$("offset").addEventListener("input", typed);
$("asis").addEventListener("click", setDisk);
$("controls").addEventListener("submit", (e) => e.preventDefault());
addEventListener("resize", show);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);

// #offset=N&interval=N opens the page at a lookup: a link to a place in it.
function fromHash() {
  const wanted = new URLSearchParams(location.hash.slice(1)), interval = Number(wanted.get("interval") ?? NaN), offset = wanted.get("offset");
  if (offset !== null && /^\d{1,19}$/.test(offset)) state.target = Number(BigInt(offset) - base);
  $("offset").value = absolute(state.target);
  if (interval >= 0) {
    const i = data.stops.findIndex((s) => s.interval >= interval);
    $("interval").value = i < 0 ? data.stops.length - 1 : i;
    useInterval(interval);
  } else if (data.index) {
    $("interval").value = Math.max(0, data.stops.findIndex((s) => s.interval >= data.guess));
    setDisk();
  } else {
    const i = Math.max(0, data.stops.findIndex((s) => s.interval >= 4096));
    $("interval").value = i;
    useInterval(data.stops[i].interval);
  }
}
$("controls").hidden = $("pictures").hidden = false;
$("asis").hidden = !data.index;
state.target = data.target ?? Math.floor(Math.max(0, batches.n ? batches.last[batches.n - 1] : 0) / 2);
fromHash();
addEventListener("hashchange", fromHash);
