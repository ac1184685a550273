"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // Details: the address names the open resource, so links, the back button and a copied address all work.
  const nodes = new Map(all(".graph a.node").map((node) => [node.dataset.id, node]));
  const edges = all(".graph .edge");
  let current = null;
  let opener = null;

  function addressed() {
    let id = location.hash.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch {
      return null; // somebody wrote the address by hand
    }
    return id ? document.getElementById(id) : null;
  }

  function named() {
    const found = addressed();
    return found && found.tagName === "ARTICLE" ? found : null;
  }

  // Environments: one is shown at a time, the one that the address leads to.
  const environments = all(".environment");
  const parts = environments.length ? [document.getElementById("environments"), ...environments] : [];
  let chosen = null;

  function choose() {
    if (!parts.length) return;
    const at = addressed();
    const wanted = parts.find((part) => at && part.contains(at)) || (at && at.tagName === "ARTICLE" && chosen) || (at ? null : parts[0]);
    if (!wanted || wanted === chosen) return;
    chosen = wanted;
    for (const part of parts) part.hidden = part !== chosen;
    for (const part of all("nav [data-environment]")) part.hidden = part.dataset.environment !== chosen.id;
    for (const link of all("nav .chooser a")) {
      if (link.getAttribute("href") === "#" + chosen.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    if (at && at.tagName !== "ARTICLE") at.scrollIntoView(); // it was hidden when the browser looked for it
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
    choose();
    const article = named();
    if (current) current.classList.remove("current");
    current = article;
    root.classList.toggle("open", article !== null);
    refit();
    if (article) highlight(nodes.has(article.id) ? article.id : null);
    else restore();
    if (!article) return;
    article.classList.add("current");
    article.closest("aside").scrollTop = 0;
    article.querySelector("h3").focus({ preventScroll: true });
  }

  function close() {
    if (!current) return;
    const back = opener && opener.isConnected ? opener : nodes.get(current.id);
    const at = chosen && chosen !== parts[0] ? "#" + chosen.id : "";
    history.replaceState(null, "", location.pathname + location.search + at);
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

  // A total leads to the table, and filters it.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-filter]");
    if (!link) return;
    document.getElementById(link.getAttribute("href").slice(1)).choose(+link.dataset.filter, link.textContent);
  });

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
  const SMALLEST = 0.02;
  const LARGEST = 3;
  const drawings = all(".graph-box").map(drawn);

  function drawn(box) {
    const frame = box.querySelector(".drawing");
    const drawing = frame.querySelector("svg");
    const width = drawing.viewBox.baseVal.width;
    const height = drawing.viewBox.baseVal.height;
    let scale = 1;
    let kind = "";
    const zoom = (to) => {
      scale = Math.min(LARGEST, Math.max(SMALLEST, to));
      drawing.setAttribute("width", width * scale);
      drawing.setAttribute("height", height * scale);
    };
    const room = () => {
      const style = getComputedStyle(frame);
      const across = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
      const down = parseFloat(style.paddingTop) + parseFloat(style.paddingBottom) + 2;
      const tallest = style.maxHeight === "none" ? innerHeight : parseFloat(style.maxHeight);
      return [(frame.clientWidth - across) / width, (tallest - down) / height];
    };
    // The whole drawing, however small; it is never made larger than it was drawn.
    const fit = () => Math.min(1, ...room());
    for (const button of all("[data-zoom]", box)) {
      button.addEventListener("click", () => {
        kind = button.dataset.zoom;
        if (kind === "fit") zoom(fit());
        else if (kind === "full") zoom(1);
        else zoom(scale * (kind === "in" ? 1.25 : 0.8));
      });
    }
    const refit = () => {
      if (!frame.clientWidth) return; // hidden
      if (kind === "fit") zoom(fit());
      // A little too wide is made to fit; much too wide would be unreadable, and scrolls.
      else if (!kind) zoom(room()[0] > 0.7 ? Math.min(1, room()[0]) : 1);
    };
    const found = searched(box, frame);
    for (const choice of all("input[type=radio]", box)) {
      choice.addEventListener("change", () => { drawing.dataset.view = choice.value; });
    }
    return { refit, found };
  }

  function refit() {
    for (const drawing of drawings) drawing.refit();
  }
  window.addEventListener("resize", refit);

  // Search in the graph: what is found stands out, with its neighbours; everything else is dimmed.
  function searched(box, frame) {
    const form = box.querySelector(".find");
    const search = form.querySelector("input");
    const team = form.querySelector("select");
    const output = form.querySelector("output");
    const others = form.querySelector(".others");
    const own = all("a.node", box).map((node) => ({ node, text: node.getAttribute("aria-label").toLowerCase() }));
    const flows = all(".edge", box);
    let matches = [];

    function find() {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const wanted = team ? team.value : "";
      const active = words.length > 0 || wanted !== "";
      matches = active
        ? own.filter(({ node, text }) => (!wanted || node.dataset.team === wanted) && words.every((word) => text.includes(word)))
        : [];
      const ids = new Set(matches.map(({ node }) => node.dataset.id));
      const near = new Set(ids);
      for (const edge of flows) {
        const joined = ids.has(edge.dataset.from) || ids.has(edge.dataset.to);
        edge.classList.remove("hot");
        edge.classList.toggle("dim", active && !joined);
        if (joined) near.add(edge.dataset.from).add(edge.dataset.to);
      }
      for (const { node } of own) {
        node.classList.remove("current");
        node.removeAttribute("aria-current");
        node.classList.toggle("found", ids.has(node.dataset.id));
        node.classList.toggle("dim", active && !near.has(node.dataset.id));
      }
      output.textContent = active ? matches.length.toLocaleString("en") + " of " + own.length.toLocaleString("en") + " found" : "";
      if (others) others.hidden = words.length === 0;
      return active;
    }

    function scroll() {
      if (!matches.length) return;
      const to = matches[0].node.getBoundingClientRect();
      const at = frame.getBoundingClientRect();
      frame.scrollBy(to.left - at.left - (at.width - to.width) / 2, to.top - at.top - (at.height - to.height) / 2);
    }

    const look = () => {
      if (find()) scroll();
    };
    search.addEventListener("input", look);
    if (team) team.addEventListener("change", look);
    form.addEventListener("submit", (event) => {
      event.preventDefault(); // Enter goes to what was found first
      if (matches.length) matches[0].node.focus({ preventScroll: true });
    });
    if (others) {
      others.addEventListener("click", () => {
        const table = document.getElementById(others.dataset.table);
        table.search(search.value);
        table.scrollIntoView();
      });
    }
    return find;
  }

  function restore() {
    highlight(null);
    for (const drawing of drawings) drawing.found();
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
    const clear = box.querySelector("button.clear");
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
        const shown = like.classList.contains("name") || like.classList.contains("where") ? broken(text) : [text];
        made.setAttribute("role", like.getAttribute("role"));
        if (like.scope) made.scope = like.scope;
        if (like.className === "severity") made.dataset.value = text;
        made.append(...(href ? [link(shown, href)] : shown));
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

    // Only to this page, or to the address of the files.
    function link(shown, href) {
      const made = document.createElement("a");
      made.append(...shown);
      if (href.startsWith("#")) made.setAttribute("href", href);
      else if (href.startsWith("@") && box.dataset.linkBase) made.setAttribute("href", box.dataset.linkBase + href.slice(1));
      return made;
    }

    // A long name may be broken after its separators.
    function broken(text) {
      return text.split(/(?<=[._/:@=-])(?=[^._/:@=-])/).flatMap((part, number) => (number ? [document.createElement("wbr"), part] : [part]));
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
      clear.hidden = !words.length && !wanted.length;
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
    clear.addEventListener("click", () => box.search(""));
    box.search = (text) => {
      search.value = text;
      for (const choice of choices) choice.value = "";
      filter();
    };
    box.choose = (column, value) => {
      box.search("");
      const choice = choices.find((each) => +each.dataset.column === column);
      if (!choice) return; // all rows have this value
      choice.value = value;
      if (choice.value !== value) search.value = value; // there were too many for a choice
      filter();
    };
    draw();
  }

  show();
})();
