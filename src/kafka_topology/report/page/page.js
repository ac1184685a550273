"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  root.classList.add("js");

  // Details: the address names the open resource, so links, the back button and a copied address all work.
  const nodes = new Map(all(".graph a.node").map((node) => [node.dataset.id, node]));
  const edges = all(".graph .edge");
  let current = null;
  let opener = null;

  function named() {
    const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    return found && found.tagName === "ARTICLE" ? found : null;
  }

  function highlight(id) {
    const near = new Set([id]);
    for (const edge of edges) {
      const joined = id !== null && (edge.dataset.from === id || edge.dataset.to === id);
      edge.classList.toggle("hot", joined);
      edge.classList.toggle("dim", id !== null && !joined);
      if (joined) {
        near.add(edge.dataset.from);
        near.add(edge.dataset.to);
      }
    }
    for (const [key, node] of nodes) {
      node.classList.toggle("current", key === id);
      node.classList.toggle("dim", id !== null && !near.has(key));
      if (key === id) node.setAttribute("aria-current", "true");
      else node.removeAttribute("aria-current");
    }
  }

  function show() {
    const article = named();
    if (current) current.classList.remove("current");
    current = article;
    root.classList.toggle("open", article !== null);
    refit();
    highlight(article && nodes.has(article.id) ? article.id : null);
    if (!article) return;
    article.classList.add("current");
    article.closest("aside").scrollTop = 0;
    article.querySelector("h3").focus({ preventScroll: true });
  }

  function close() {
    if (!current) return;
    const back = opener && opener.isConnected ? opener : nodes.get(current.id);
    history.replaceState(null, "", location.pathname + location.search);
    show();
    if (back) back.focus({ preventScroll: true });
    opener = null;
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    const target = document.getElementById(decodeURIComponent(link.getAttribute("href").slice(1)));
    if (!target || target.tagName !== "ARTICLE") return;
    event.preventDefault(); // the panel opens where one is, and the page does not jump
    if (!link.closest("aside")) opener = link;
    if (location.hash !== "#" + target.id) history.pushState(null, "", "#" + target.id);
    show();
  });
  document.querySelector("aside .close").addEventListener("click", close);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  window.addEventListener("popstate", show);
  window.addEventListener("hashchange", show);

  // The arrow keys follow the data: right to a reader, left to a writer, up and down through the others.
  const order = [...nodes.keys()];
  document.addEventListener("keydown", (event) => {
    const node = event.target.closest ? event.target.closest(".graph a.node") : null;
    const step = { ArrowRight: ["from", "to"], ArrowLeft: ["to", "from"], ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!node || step === undefined) return;
    let next;
    if (Array.isArray(step)) {
      const edge = edges.find((each) => each.dataset[step[0]] === node.dataset.id);
      next = edge && edge.dataset[step[1]];
    } else {
      next = order[order.indexOf(node.dataset.id) + step];
    }
    event.preventDefault();
    if (next) nodes.get(next).focus();
  });

  // Zoom: the drawing keeps its shape and the frame scrolls.
  let refit = () => {};
  const drawing = document.querySelector(".drawing svg");
  if (drawing) {
    const width = drawing.viewBox.baseVal.width;
    const height = drawing.viewBox.baseVal.height;
    let scale = 1;
    let chosen = false;
    const zoom = (to) => {
      scale = Math.min(3, Math.max(0.1, to));
      drawing.setAttribute("width", width * scale);
      drawing.setAttribute("height", height * scale);
    };
    const fit = () => (drawing.parentElement.clientWidth - 18) / width;
    for (const button of all("[data-zoom]")) {
      button.addEventListener("click", () => {
        const kind = button.dataset.zoom;
        chosen = true;
        zoom(kind === "fit" ? fit() : scale * (kind === "in" ? 1.25 : 0.8));
      });
    }
    // A little too wide is made to fit; much too wide would be unreadable, and scrolls.
    refit = () => {
      if (!chosen) zoom(fit() > 0.7 ? Math.min(1, fit()) : 1);
    };
    refit();
    window.addEventListener("resize", refit);
  }

  // Tables: filters, search and pages over all rows, those in the page and those that are only data.
  const PAGE = 100;
  for (const box of all(".paged")) table(box);

  function table(box) {
    const body = box.querySelector("tbody");
    const heads = all("thead th", box);
    const titles = heads.map((head) => head.textContent);
    const rows = [...body.rows].map((row) => ({ row, texts: [...row.cells].map((cell) => cell.textContent) }));
    rows.forEach(({ row }) => label(row));
    const rest = box.querySelector("script");
    for (const cells of rest ? JSON.parse(rest.textContent) : []) {
      rows.push({ cells, texts: cells.map((cell) => (typeof cell === "string" ? cell : cell[0] + cell[2])) });
    }
    const search = box.querySelector("input[type=search]");
    const choices = all("select", box);
    const output = box.querySelector("output");
    const pages = box.querySelector(".pages");
    const [previous, next] = ["previous", "next"].map((kind) => box.querySelector("button." + kind));
    let page = 0;
    let found = rows;

    function label(row) {
      [...row.cells].forEach((cell, number) => {
        if (cell.tagName === "TD") cell.dataset.title = titles[number];
      });
    }

    function made(entry) {
      if (entry.row) return entry.row;
      const row = document.createElement("tr");
      row.setAttribute("role", "row");
      entry.cells.forEach((cell, number) => {
        const [text, href, more] = typeof cell === "string" ? [cell, "", ""] : cell;
        const like = rows[0].row.cells[number];
        const made = document.createElement(like.tagName);
        made.className = like.className;
        made.setAttribute("role", like.getAttribute("role"));
        if (like.scope) made.scope = like.scope;
        if (like.className === "severity") made.dataset.value = text;
        made.append(href ? link(text, href) : text);
        if (more) {
          const second = document.createElement("span");
          second.className = "more";
          second.textContent = more;
          made.append(second);
        }
        row.append(made);
      });
      label(row);
      entry.row = row;
      return row;
    }

    function link(text, href) {
      const made = document.createElement("a");
      made.textContent = text;
      if (href.startsWith("#")) made.setAttribute("href", href);
      return made;
    }

    function first(entry, column) {
      if (entry.cells) return typeof entry.cells[column] === "string" ? entry.cells[column] : entry.cells[column][0];
      return entry.texts[column];
    }

    function filter() {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const wanted = choices.filter((choice) => choice.value).map((choice) => [+choice.dataset.column, choice.value]);
      found = rows.filter(
        (entry) =>
          wanted.every(([column, value]) => first(entry, column) === value) &&
          words.every((word) => entry.texts.some((text) => text.toLowerCase().includes(word))),
      );
      page = 0;
      draw();
    }

    function draw() {
      const start = page * PAGE;
      const shown = found.slice(start, start + PAGE);
      body.replaceChildren(...shown.map(made));
      const total = found.length.toLocaleString("en") + (found.length < rows.length ? " of " + rows.length.toLocaleString("en") : "");
      const part = found.length > PAGE ? ", " + (start + 1) + " to " + (start + shown.length) + " shown" : "";
      output.textContent = total + " " + box.dataset.noun + part;
      pages.hidden = found.length <= PAGE;
      previous.disabled = page === 0;
      next.disabled = start + PAGE >= found.length;
    }

    function turn(by) {
      page += by;
      draw();
      box.scrollIntoView({ block: "start" });
    }

    previous.addEventListener("click", () => turn(-1));
    next.addEventListener("click", () => turn(1));
    search.addEventListener("input", filter);
    choices.forEach((choice) => choice.addEventListener("change", filter));
    box.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    draw();
  }

  show();
})();
