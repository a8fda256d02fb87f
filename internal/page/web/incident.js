"use strict";
const query = document.getElementById("query");
const notes = Array.from(document.querySelectorAll(".note, .quiet li"), (element) => ({ element, text: element.textContent.toLowerCase() }));
const parts = Array.from(document.querySelectorAll(".part"), (element) => ({ element, text: element.querySelector("h2").textContent.toLowerCase() }));

// search hides what does not have all the words.
function search() {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text) => words.every((word) => text.includes(word));
  let shown = 0;
  const named = new Set(parts.filter((p) => has(p.text)).map((p) => p.element));
  for (const n of notes) {
    const part = n.element.closest(".part");
    n.element.hidden = !(has(n.text) || named.has(part));
    if (!n.element.hidden && part) shown++;
  }
  for (const p of parts) p.element.hidden = !named.has(p.element) && !p.element.querySelector(".note:not([hidden])");
  document.getElementById("matches").textContent = words.length ? `${shown} shown` : "";
}
query.addEventListener("input", search);
document.getElementById("search").addEventListener("submit", (e) => e.preventDefault());
addEventListener("keydown", (e) => {
  if (e.key === "/" && e.target !== query) {
    e.preventDefault();
    query.focus();
  } else if (e.key === "Escape" && e.target === query) {
    query.value = "";
    search();
  }
});
// What is printed is everything.
addEventListener("beforeprint", () => notes.concat(parts).forEach((n) => (n.element.hidden = false)));
addEventListener("afterprint", search);
document.getElementById("search").hidden = false;
// #search=words opens the page at a search.
query.value = new URLSearchParams(location.hash.slice(1)).get("search") ?? "";
search();
