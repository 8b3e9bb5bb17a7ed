/* The page of `mxgen report`. Values reach it as JSON in #data, and are shown as text only. */
"use strict";
const { report, base, fields } = JSON.parse(document.getElementById("data").textContent);
const variants = report.variants;
const countText = `${variants.length} variant${variants.length === 1 ? "" : "s"}`;
const byId = id => document.getElementById(id);

/* An element with properties and children, which are elements or texts. */
function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties || {}))
    if (key in element) element[key] = value; else element.setAttribute(key, value);
  element.append(...children);
  return element;
}
function makeSvg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/* ---- values ---- */

const at = (variant, path) => path.split(".").reduce((value, key) => value == null ? undefined : value[key], variant);
/* Of a field with fractions all values have two decimals. */
const fractional = field => [...variants, ...(base ? base.variants : [])]
  .some(v => typeof at(v, field.path) === "number" && !Number.isInteger(at(v, field.path)));
for (const field of fields) {
  field.decimals = fractional(field) ? 2 : 0;
  field.isNumber = variants.some(v => typeof at(v, field.path) === "number");
}
const rounded = value => Number.isInteger(value) ? value : Math.round(value * 100) / 100;
const show = (field, value) => value == null || value.length === 0 ? "–"
  : typeof value === "number" ? rounded(value).toFixed(field.decimals)
  : Array.isArray(value) ? value.join("+") : String(value);
const shown = (field, variant) => show(field, at(variant, field.path));

/* ---- the table of variants ---- */

const selectable = ["group", "template", "a_format", "c_format"];
const parts = [...new Set(fields.map(f => f.part))];
const visible = new Set(parts.filter(part => part !== "budget" && part !== "takes" && part !== "row"));
let sorting = { path: null, up: true };

const beginsPart = (cells, i) => i === 0 || cells[i - 1].part !== cells[i].part;
const columns = () => fields.filter(f => visible.has(f.part));

function compare(a, b, field) {
  const left = field ? at(a, field.path) : a.name, right = field ? at(b, field.path) : b.name;
  if (left == null || right == null) return (left == null) - (right == null);
  const order = typeof left === "number" && typeof right === "number" ? left - right
    : String(left).localeCompare(String(right), "en", { numeric: true });
  return sorting.up ? order : -order;
}

function matches(variant) {
  for (const path of selectable) {
    const select = byId("select-" + path);
    if (select && select.value && String(at(variant, path) ?? "") !== select.value) return false;
  }
  const text = [variant.name, ...fields.map(f => shown(f, variant))].join(" ").toLowerCase();
  return byId("filter").value.toLowerCase().split(/\s+/).every(word => text.includes(word));
}

function sortBy(path) {
  sorting = { path, up: sorting.path === path ? !sorting.up : true };
  drawTable();
}

function headCell(path, heading, help, isNumber, begins) {
  const th = make("th", { className: (isNumber ? "" : "word") + (begins ? " begins" : ""), scope: "col", title: help },
    make("button", { type: "button", onclick: () => sortBy(path) }, heading));
  th.setAttribute("data-path", path);
  th.setAttribute("aria-sort", sorting.path === path ? (sorting.up ? "ascending" : "descending") : "none");
  return th;
}

function drawHead() {
  const cells = columns(), first = [make("td")];
  for (const part of parts.filter(p => visible.has(p)))
    first.push(make("th", { colSpan: cells.filter(f => f.part === part).length, scope: "colgroup" }, part));
  const focused = document.activeElement?.closest?.("th")?.getAttribute("data-path");
  byId("variants").tHead.replaceChildren(make("tr", { className: "parts" }, ...first),
    make("tr", { className: "columns" },
      headCell("name", "variant", "its name, which is also the kernel's symbol", false),
      ...cells.map((f, i) => headCell(f.path, f.heading, f.help, f.isNumber, beginsPart(cells, i)))));
  if (focused) byId("variants").tHead.querySelector(`th[data-path="${CSS.escape(focused)}"] button`)?.focus();
}

function drawTable() {
  const cells = columns(), field = fields.find(f => f.path === sorting.path);
  const rows = variants.filter(matches);
  if (sorting.path) rows.sort((a, b) => compare(a, b, field));
  drawHead();
  byId("variants").tBodies[0].replaceChildren(...rows.map(v => make("tr", {},
    make("th", { scope: "row", title: v.name }, nameButton(v)),
    ...cells.map((f, i) => make("td", { className: (f.isNumber ? "" : "word")
      + (beginsPart(cells, i) ? " begins" : "") + (at(v, f.path) == null ? " none" : "") },
      shown(f, v))))));
  byId("shown").textContent = rows.length === variants.length ? countText : `${rows.length} of ${countText}`;
}

function nameButton(variant) {
  return make("button", { type: "button", className: "link name", onclick: () => openDetails(variant) }, variant.name);
}

function drawControls() {
  for (const path of selectable) {
    const values = [...new Set(variants.map(v => at(v, path)).filter(v => v != null))];
    const heading = fields.find(f => f.path === path).heading;
    if (values.length < 2) continue;
    const select = make("select", { id: "select-" + path, onchange: drawTable }, make("option", { value: "" }, "all"),
      ...values.map(v => make("option", { value: v }, v)));
    byId("selects").append(make("label", {}, heading + " ", select), " ");
  }
  for (const part of parts) {
    const box = make("input", { type: "checkbox", checked: visible.has(part) });
    box.onchange = () => { if (box.checked) visible.add(part); else visible.delete(part); drawTable(); };
    byId("parts").append(make("label", {}, box, " " + part), " ");
  }
  byId("filter").oninput = drawTable;
}

/* ---- one variant ---- */

const classColours = { mfma: "#e0872f", valu: "#4a8fe0", salu: "#7ac1e8", vmem: "#3aa76d", smem: "#8fd3ae",
  lds: "#b48be0", wait: "#d9534f", branch: "#8d97a8", barrier: "#a3423e", other: "#c3cad6" };

function meter(heading, entry, atLeast) {
  const full = Math.max(entry.takes, entry.allows) || 1;
  const bar = make("i");
  bar.style.width = 100 * entry.takes / full + "%";
  return make("div", { className: "meter" }, make("span", {}, heading), make("div", {}, bar),
    make("span", {}, `${entry.takes} ${atLeast ? "≥" : "of"} ${entry.allows}, margin ${entry.margin}`));
}

function mix(counts) {
  const all = Object.entries(counts).filter(([, count]) => count > 0);
  const bar = make("div", { className: "mix" }), words = make("div", { className: "mix-words" });
  for (const [name, count] of all) {
    const piece = make("i", { title: `${count} ${name}` }), spot = make("i");
    piece.style.flex = count; piece.style.background = spot.style.background = classColours[name] || "#999";
    bar.append(piece);
    words.append(make("span", {}, spot, `${count} ${name}`));
  }
  return [bar, words];
}

function openDetails(variant) {
  const loop = variant.main_loop, box = byId("details");
  const list = part => make("dl", {}, ...fields.filter(f => f.part === part).map(f => make("div", { title: f.help },
    make("dt", {}, f.heading), make("dd", {}, shown(f, variant)))));
  const close = make("button", { id: "close", type: "button", className: "plain", onclick: () => box.close() },
    "Close");
  const children = [close, make("h2", { id: "details-name", className: "name" }, variant.name),
    make("h3", {}, "The row"), list("row"),
    make("h3", {}, "What it takes of its budget"), meter("VGPRs", variant.budget.vgprs),
    meter("LDS", variant.budget.lds_bytes), meter("waves a SIMD", variant.budget.waves_per_simd, true),
    meter("code", variant.budget.code_bytes), make("h3", {}, "Resources"), list("resources"),
    make("h3", {}, loop ? `Main loop: ${loop.instructions} instructions, ${loop.code_bytes} bytes`
      : "No main loop: all of its instructions"), ...mix(loop ? loop.counts : variant.counts)];
  if (loop) children.push(list("main loop"));
  if (variant.times) children.push(make("h3", {}, "Times"), list("times"));
  children.push(make("h3", {}, "What it takes"), list("takes"), make("h3", {}, "Its source and code"),
    make("code", {}, `out/bin/mxgen show ${variant.name} | less`));
  box.replaceChildren(...children);
  box.showModal();
}

/* ---- the map ---- */

const maps = report.choices || [];
const number = n => n.toLocaleString("en");
/* The colours of a map's variants, by index. Hues go around in the variants' order, in which those of a template stand
 * together; three lightnesses in turn, as eyes see them, tell neighbours apart without hues, and are light enough for
 * black words. */
function coloursOf(map) {
  const used = [...new Set(map.points.map(p => p[3]))].filter(i => i >= 0).sort((a, b) => a - b);
  return new Map(used.map((index, k) =>
    [index, `oklch(${[.8, .68, .9][k % 3]} .12 ${(20 + 360 * k / used.length).toFixed(0)})`]));
}

const mapTitle = ({ of }) => `A ${of.a_format}, C ${of.c_format}, B ${of.b_layout}, scales ${of.scale_layout}`;
/* A view's rows: each N of one K, or each layer, which is an N and a K that have a note. */
function viewsOf(map) {
  const views = [], ks = [...new Set(map.points.map(p => p[2]))].sort((a, b) => a - b);
  if (Object.keys(map.notes).length) views.push({ title: "layers of models", layers: true });
  for (const k of ks) if (new Set(map.points.filter(p => p[2] === k).map(p => p[1])).size > 1)
    views.push({ title: `K = ${number(k)}`, k });
  if (!views.length) for (const k of ks) views.push({ title: `K = ${number(k)}`, k });
  return views;
}

const keyOf = p => `${p[1]} x ${p[2]}`;
let marked = null;

function rowsOf(map, view) {
  const rows = new Map();
  const points = map.points.filter(p => view.layers ? keyOf(p) in map.notes : p[2] === view.k);
  for (const p of points) {
    const key = view.layers ? keyOf(p) : String(p[1]);
    const label = view.layers ? `${p[1]} × ${p[2]}  ${map.notes[key]}` : number(p[1]);
    if (!rows.has(key)) rows.set(key, { label, n: p[1], points: new Map() });
    rows.get(key).points.set(p[0], p);
  }
  return view.layers ? Object.keys(map.notes).map(key => rows.get(key))
    : [...rows.values()].sort((a, b) => a.n - b.n);
}

function drawMap() {
  const map = maps[+byId("map-format").value], views = viewsOf(map);
  const chosenView = views[Math.min(+byId("map-view").value || 0, views.length - 1)];
  const rows = rowsOf(map, chosenView);
  const ms = [...new Set(rows.flatMap(r => [...r.points.keys()]))].sort((a, b) => a - b);
  const wide = chosenView.layers ? 190 : 70, cellWidth = 44, cellHeight = 25, top = 42;
  const width = wide + ms.length * cellWidth + 8, height = top + rows.length * cellHeight + 8;
  const svg = makeSvg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group",
    "aria-label": `${mapTitle(map)}, ${chosenView.title}: columns are M` });
  svg.append(makeSvg("text", { x: wide + ms.length * cellWidth / 2, y: 13, "text-anchor": "middle", class: "axis" },
    "M: rows of A"), makeSvg("text", { x: wide - 8, y: top - 9, "text-anchor": "end", class: "axis" },
    chosenView.layers ? "N × K" : "N"));
  ms.forEach((m, x) => svg.append(makeSvg("text", { x: wide + (x + .5) * cellWidth, y: top - 9, "text-anchor": "middle",
    class: "axis" }, number(m))));
  const cells = [], colours = coloursOf(map);
  rows.forEach((row, y) => {
    svg.append(makeSvg("text", { x: wide - 8, y: top + y * cellHeight + 17, "text-anchor": "end" }, row.label));
    ms.forEach((m, x) => {
      const p = row.points.get(m);
      if (p) cells.push(drawCell(p, colours, x, y, wide, top, cellWidth, cellHeight));
    });
  });
  svg.append(...cells.map(c => c.element));
  cells[0]?.element.setAttribute("tabindex", "0");
  svg.onkeydown = event => moveInMap(event, cells);
  byId("map").replaceChildren(svg);
  drawLegend(cells, colours);
}

function drawCell(p, colours, x, y, left, top, width, height) {
  const [m, n, k, index, us] = p, variant = index < 0 ? null : variants[index];
  const word = us > 0 ? us.toFixed(us >= 100 ? 0 : 1) : "–";
  const element = makeSvg("g", { class: "cell", tabindex: "-1", role: "button", "data-variant": index,
    "aria-label": `M ${m}, N ${n}, K ${k}: ${variant ? `${variant.name}, ${us} microseconds` : "no variant does it"}` },
    makeSvg("rect", { x: left + x * width, y: top + y * height, width, height, rx: 3,
      fill: variant ? colours.get(index) : "none" }),
    makeSvg("text", { x: left + (x + .5) * width, y: top + y * height + 16.5, "text-anchor": "middle" },
      variant ? word : "×"));
  element.onclick = () => { if (variant) openDetails(variant); };
  element.onmouseenter = element.onfocus = () => showTip(element, p, variant);
  element.onmouseleave = element.onblur = () => { byId("tip").hidden = true; };
  return { element, x, y, index };
}

function showTip(element, [m, n, k, , us], variant) {
  const tip = byId("tip"), box = element.getBoundingClientRect();
  const speed = us > 0 ? `${us} µs, ${(2 * m * n * k / us / 1e6).toFixed(1)} TFLOP/s`
    : variant ? "no time is predicted" : "mxgemm explain says what refuses it";
  tip.replaceChildren(make("div", { className: "name" }, variant ? variant.name : "no variant does it"),
    make("div", {}, `M ${number(m)}, N ${number(n)}, K ${number(k)}`), make("div", {}, speed));
  tip.hidden = false;
  const below = box.bottom + tip.offsetHeight + 12 < innerHeight;
  tip.style.left = Math.max(4, Math.min(box.left, innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = (below ? box.bottom + 6 : box.top - tip.offsetHeight - 6) + "px";
}

function moveInMap(event, cells) {
  const from = cells.find(c => c.element === document.activeElement);
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!from) return;
  if (event.key === "Enter" || event.key === " ") { event.preventDefault(); from.element.onclick(); }
  const to = step && cells.find(c => c.x === from.x + step[0] && c.y === from.y + step[1]);
  if (!to) return;
  event.preventDefault();
  from.element.setAttribute("tabindex", "-1");
  to.element.setAttribute("tabindex", "0");
  to.element.focus();
}

function drawLegend(cells, colours) {
  const counts = new Map();
  for (const c of cells) if (c.index >= 0) counts.set(c.index, (counts.get(c.index) || 0) + 1);
  if (!counts.has(marked)) marked = null;
  const mark = () => {
    for (const c of cells) c.element.classList.toggle("dim", marked !== null && c.index !== marked);
    for (const b of byId("legend").querySelectorAll("button"))
      b.setAttribute("aria-pressed", +b.dataset.index === marked);
  };
  byId("legend").replaceChildren(...[...counts.keys()].sort((a, b) => a - b).map(index => {
    const spot = make("i");
    spot.style.background = colours.get(index);
    const toggle = () => { marked = marked === index ? null : index; mark(); };
    const button = make("button", { type: "button", onclick: toggle }, spot,
      make("span", { className: "name" }, variants[index].name), make("span", { className: "count" },
      String(counts.get(index))));
    button.dataset.index = index;
    return make("li", {}, button);
  }));
  const refused = cells.filter(c => c.index < 0).length;
  if (refused) byId("legend").append(make("li", { id: "refused" }, make("i", {}, "×"),
    make("span", {}, "no variant of this report does it"), make("span", { className: "count" }, String(refused))));
  mark();
}

function drawMapControls() {
  if (!maps.length) {
    byId("map").textContent = "This report was made without choices, which mxgemm choose --json writes; make report has"
      + " them.";
    return;
  }
  const format = make("select", { id: "map-format" },
    ...maps.map((map, i) => make("option", { value: i }, mapTitle(map))));
  const view = make("select", { id: "map-view" });
  const fill = () => {
    const kept = view.selectedIndex;
    view.replaceChildren(...viewsOf(maps[+format.value]).map((v, i) => make("option", { value: i }, v.title)));
    view.selectedIndex = Math.min(Math.max(kept, 0), view.options.length - 1);
  };
  byId("map-controls").append(make("label", {}, "Problems ", format), make("label", {}, "View ", view));
  format.onchange = () => { fill(); drawMap(); };
  view.onchange = drawMap;
  fill();
  drawMap();
}

/* ---- changes ---- */

function verdict(field, was, is) {
  if (!field.better || typeof was !== "number" || typeof is !== "number") return "";
  return (is > was) === (field.better > 0) ? "better" : "worse";
}

function changesOf(was, is) {
  return fields.filter(f => shown(f, was) !== shown(f, is)).map(field => ({ field, was: at(was, field.path),
    is: at(is, field.path) }));
}

function drawChanges(earlier, from) {
  const old = new Map(earlier.variants.map(v => [v.name, v])), now = new Map(variants.map(v => [v.name, v]));
  const added = variants.filter(v => !old.has(v.name)), removed = earlier.variants.filter(v => !now.has(v.name));
  const changed = variants.filter(v => old.has(v.name))
    .map(v => ({ variant: v, changes: changesOf(old.get(v.name), v) })).filter(c => c.changes.length);
  const same = variants.length - added.length - changed.length;
  const rows = [...added.map(v => make("tr", { className: "added" }, make("td", {}, "added"),
      make("td", {}, nameButton(v)), make("td", { colSpan: 3 }, ""))),
    ...removed.map(v => make("tr", { className: "removed" }, make("td", {}, "removed"),
      make("td", { className: "name" }, v.name), make("td", { colSpan: 3 }, "")))];
  for (const { variant, changes } of changed) changes.forEach(({ field, was, is }, i) => rows.push(make("tr",
    { className: "changed" }, make("td", {}, i ? "" : "changed"), make("td", {}, i ? "" : nameButton(variant)),
    make("td", { title: field.help }, `${field.part}: ${field.heading}`),
    make("td", { className: "number" }, show(field, was)),
    make("td", { className: "number " + verdict(field, was, is) }, show(field, is)))));
  byId("against").textContent = `Against ${from}.`;
  const head = ["change", "variant", "what", "was", "is"]
    .map((word, i) => make("th", { className: i < 3 ? "word" : "", scope: "col" }, word));
  byId("changes").replaceChildren(make("div", { className: "summary" }, make("span", {}, `${added.length} added`),
    make("span", {}, `${removed.length} removed`), make("span", {}, `${changed.length} changed`),
    make("span", {}, `${same} the same`)),
    ...(rows.length ? [make("div", { className: "scroll" }, make("table", {},
      make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)))] : []));
}

async function loadEarlier() {
  const file = byId("load").files[0];
  byId("load-error").textContent = "";
  if (!file) return;
  try {
    const earlier = JSON.parse(await file.text());
    if (earlier?.schema !== report.schema || !Array.isArray(earlier.variants)
      || earlier.variants.some(v => typeof v?.name !== "string"))
      throw new Error("it is no variants.json of mxgen report");
    drawChanges(earlier, file.name);
  } catch (error) {
    byId("load-error").textContent = `${file.name} cannot be compared: ${error.message}`;
  }
}

byId("about").textContent = `${countText} for ${report.arch}, compiled by ${report.compiler}`
  + ` (comgr ${report.comgr}).`;
byId("load").onchange = loadEarlier;
drawControls();
drawTable();
drawMapControls();
if (base) drawChanges(base, base.from);
