"use strict";
(() => {
  const $ = (s, of = document) => of.querySelector(s);
  const $$ = (s, of = document) => [...of.querySelectorAll(s)];
  const json = (id) => { const e = document.getElementById(id); return e ? JSON.parse(e.textContent) : null; };
  const narrow = matchMedia("(max-width: 56rem)");
  document.documentElement.classList.add("js");

  // Files to save.
  const files = json("files");
  for (const b of $$(".save")) b.addEventListener("click", () => {
    const f = files[Number(b.dataset.file)];
    const url = URL.createObjectURL(new Blob([f.text], { type: "text/plain" }));
    const a = document.createElement("a");
    a.href = url; a.download = f.name; a.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  });

  // Tabs, one a thread.
  const tabs = $$('[role="tab"]');
  const show = (tab) => {
    for (const t of tabs) {
      const on = t === tab;
      t.setAttribute("aria-selected", String(on));
      t.tabIndex = on ? 0 : -1;
      document.getElementById(t.getAttribute("aria-controls")).hidden = !on;
    }
  };
  tabs.forEach((t, i) => {
    t.addEventListener("click", () => { show(t); const first = $(".pane:not([hidden]) .known"); if (first && !narrow.matches) open(first); });
    t.addEventListener("keydown", (e) => {
      const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: tabs.length - 1 }[e.key];
      if (to === undefined) return;
      e.preventDefault();
      const next = tabs[(to + tabs.length) % tabs.length];
      next.focus(); next.click();
    });
  });

  // The invariant of a line: beside the source, or below the line where there is no room.
  let chosen = null;
  const place = () => {
    if (!chosen) return;
    const note = document.getElementById(chosen.dataset.note);
    if (narrow.matches) chosen.after(note); else $(".detail").append(note);
  };
  const close = () => {
    if (!chosen) return;
    chosen.setAttribute("aria-expanded", "false");
    document.getElementById(chosen.dataset.note).classList.remove("open");
    chosen = null;
  };
  const open = (row) => {
    const again = row === chosen;
    close();
    if (again && narrow.matches) return;
    chosen = row;
    row.setAttribute("aria-expanded", "true");
    document.getElementById(row.dataset.note).classList.add("open");
    place();
  };
  const known = $$(".known");
  for (const row of known) {
    row.addEventListener("click", () => open(row));
    row.addEventListener("keydown", (e) => {
      const way = { ArrowDown: 1, ArrowUp: -1 }[e.key];
      if (!way) return;
      const all = known.filter((r) => r.offsetParent !== null);
      const next = all[all.indexOf(row) + way];
      if (next) { e.preventDefault(); next.focus(); open(next); }
    });
  }
  narrow.addEventListener("change", place);

  // Links to lines of a thread, and to what it is relied on for.
  const go = (id) => {
    const to = document.getElementById(id);
    if (!to) return false;
    const pane = to.closest(".pane");
    if (pane) show(document.getElementById(pane.getAttribute("aria-labelledby")));
    const fold = to.closest("details");
    if (fold) fold.open = true;
    to.scrollIntoView({ block: "center" });
    if (to.matches(".known")) { if (to !== chosen) open(to); to.focus({ preventScroll: true }); }
    else { for (const r of $$(".flash")) r.classList.remove("flash"); to.classList.add("flash"); (to.matches("details") ? $("summary", to) : to).focus({ preventScroll: true }); }
    return true;
  };
  document.addEventListener("click", (e) => {
    const a = e.target.closest('a[href^="#"]');
    if (a && go(a.getAttribute("href").slice(1))) { e.preventDefault(); history.replaceState(null, "", a.getAttribute("href")); }
  });
  if (tabs.length) {
    const first = $(".pane:not([hidden]) .known");
    if (!(location.hash && go(location.hash.slice(1))) && first && !narrow.matches) open(first);
  }

  // The run.
  const run = json("data");
  if (run) lanes(run);
  function lanes(run) {
    const board = $(".lanes"), list = $("#steps");
    board.style.setProperty("--lanes", String(run.threads.length));
    for (const e of $$("[data-lane]")) e.style.setProperty("--lane", e.dataset.lane);
    const steps = $$(".step", list), end = steps.length - 1;
    const rows = $$("#cells tr");
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("aria-hidden", "true");
    list.prepend(svg);
    const make = (name, attributes, parent = svg) => {
      const e = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
      parent.append(e);
      return e;
    };
    let now = end;
    // Where a step is drawn: its own place, or that of the fold that it is in.
    const spot = (i) => {
      const s = steps[i];
      const from = list.getBoundingClientRect();
      const at = s.hidden ? $(`.folded[data-fold="${s.dataset.fold}"]`, list) : $(".dot", s);
      const box = at.getBoundingClientRect();
      return { x: s.hidden ? column(s.dataset.lane) : box.left + box.width / 2 - from.left, y: box.top + box.height / 2 - from.top };
    };
    const columns = new Map();
    const column = (lane) => columns.get(String(lane)) ?? 0;
    const draw = () => {
      svg.replaceChildren();
      columns.clear();
      const from = list.getBoundingClientRect();
      for (const s of steps) if (!s.hidden && !columns.has(s.dataset.lane)) {
        const box = $(".dot", s).getBoundingClientRect();
        columns.set(s.dataset.lane, box.left + box.width / 2 - from.left);
      }
      const height = list.clientHeight;
      for (const x of columns.values()) make("line", { class: "lane", x1: x, x2: x, y1: 0, y2: height });
      const at = steps.map((_, i) => spot(i));
      // Bars: from the step that takes a lock to the one that gives it back.
      run.threads.forEach((_, t) => {
        const open = new Map();
        const bar = (lock, b) => {
          const { from: a, depth } = open.get(lock);
          const x = column(t) - 9 - depth * 5, y = at[a].y;
          const e = make("rect", { class: "lock", x, y, width: 4, height: Math.max(4, at[b].y - y) });
          make("title", {}, e).textContent = `holds ${lock}`;
          open.delete(lock);
        };
        run.steps.forEach((s, i) => {
          if (s.thread !== t) return;
          for (const l of [...open.keys()]) if (!s.holds.includes(l)) bar(l, i);
          for (const l of s.holds) if (!open.has(l)) open.set(l, { from: i, depth: open.size });
        });
        for (const l of [...open.keys()]) bar(l, end);
      });
      // Arrows: from the write to the read that sees it, of another thread.
      const seen = new Set();
      run.steps.forEach((s, i) => s.reads.forEach((w) => {
        if (run.steps[w].thread === s.thread || i === w || seen.has(`${w} ${i}`)) return;
        seen.add(`${w} ${i}`);
        const a = at[w], b = at[i], way = Math.sign(b.x - a.x) || 1;
        const x1 = a.x + 6 * way, x2 = b.x - 9 * way, bend = Math.max(10, Math.abs(x2 - x1) * .4) * way;
        const on = i === now || w === now ? " now" : "";
        make("path", { class: `see${on}`, d: `M${x1} ${a.y}C${x1 + bend} ${a.y} ${x2 - bend} ${b.y} ${x2} ${b.y}` });
        make("path", { class: "tip", d: `M${x2 + 4 * way} ${b.y}l${-6 * way} -4v8z` });
      }));
    };
    const value = (cell, i) => { let v = cell.first; for (const [k, x] of cell.values) { if (k > i) break; v = x; } return v; };
    const select = (i, focus) => {
      now = Math.max(0, Math.min(end, i));
      const fold = steps[now].dataset.fold;
      if (fold !== undefined && steps[now].hidden) unfold(fold, true);
      steps.forEach((s, k) => {
        s.setAttribute("aria-selected", String(k === now));
        s.classList.toggle("after", k > now);
      });
      list.setAttribute("aria-activedescendant", steps[now].id);
      run.cells.forEach((c, k) => {
        const v = value(c, now), free = c.lock ? "free" : "–";
        $("td", rows[k]).textContent = v === null || v === "" ? free : c.lock ? `held by ${v}` : v;
        rows[k].classList.toggle("changed", c.values.some(([s]) => s === now));
      });
      $("#where").textContent = now === end ? `violated after ${end} steps` : `step ${now + 1} of ${end}`;
      if (focus) steps[now].scrollIntoView({ block: "nearest" });
      draw();
    };
    const unfold = (fold, open) => {
      for (const s of steps) if (s.dataset.fold === fold) s.hidden = !open;
      $(`.folded[data-fold="${fold}"]`, list).setAttribute("aria-expanded", String(open));
    };
    // Next step that is seen; a fold is stepped over.
    const next = (way) => { let i = now + way; while (i > 0 && i < end && steps[i].hidden) i += way; return i; };
    for (const s of steps) s.addEventListener("click", () => { select(Number(s.dataset.step)); list.focus({ preventScroll: true }); });
    for (const b of $$(".folded", list)) b.addEventListener("click", (e) => {
      e.stopPropagation();
      unfold(b.dataset.fold, b.getAttribute("aria-expanded") !== "true");
      if (steps[now].hidden) select(next(-1)); else draw();
    });
    const folds = () => $$(".folded", list);
    document.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, summary, a")) return;
      if (e.target.closest("button") && (e.key === "Enter" || e.key === " ")) return;
      const to = { ArrowDown: () => next(1), ArrowRight: () => next(1), ArrowUp: () => next(-1), ArrowLeft: () => next(-1), Home: () => 0, End: () => end }[e.key];
      if (to) { e.preventDefault(); select(to(), true); }
      else if (e.key === "f" || e.key === "F") {
        const all = folds(), open = all.some((b) => b.getAttribute("aria-expanded") !== "true");
        for (const b of all) unfold(b.dataset.fold, open);
        if (steps[now].hidden) select(next(-1)); else draw();
      }
    });
    $("#back").addEventListener("click", () => select(next(-1), true));
    $("#on").addEventListener("click", () => select(next(1), true));
    new ResizeObserver(draw).observe(list);
    select(end);
  }

  // A batch.
  const table = $(".batch tbody");
  if (table) {
    const all = $$("tr", table), find = $("#find"), boxes = $$('[name="verdict"]');
    const filter = () => {
      const words = find.value.toLowerCase().split(/\s+/).filter(Boolean), on = new Set(boxes.filter((b) => b.checked).map((b) => b.value));
      let n = 0;
      for (const r of all) {
        const text = r.textContent.toLowerCase();
        r.hidden = !(on.has(r.dataset.verdict) && words.every((w) => text.includes(w)));
        if (!r.hidden) n++;
      }
      $("#found").textContent = `${n} of ${all.length}`;
    };
    find.addEventListener("input", filter);
    for (const b of boxes) b.addEventListener("change", filter);
    $(".filters").addEventListener("submit", (e) => e.preventDefault());
    $$(".batch thead th").forEach((h, k) => {
      const b = $("button", h);
      if (b) b.addEventListener("click", () => {
        const down = h.getAttribute("aria-sort") === "ascending";
        for (const o of $$(".batch thead th[aria-sort]")) o.setAttribute("aria-sort", "none");
        h.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = (r) => r.children[k].dataset.value ?? r.children[k].textContent;
        const order = (a, b) => a.localeCompare(b, "en", { numeric: true });
        table.append(...[...all].sort((a, b) => (down ? -1 : 1) * order(key(a), key(b))));
      });
    });
  }
})();
