"use strict";
(() => {
  const root = document.documentElement;
  const field = document.getElementById("find");
  const list = document.getElementById("found");
  const pages = [...document.querySelectorAll("article")];
  root.classList.add("js");

  // The page of the address: an element of it has the address as its id.
  const show = () => {
    let id = location.hash.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch {
      // It is not an address of ours.
    }
    const target = document.getElementById(id);
    const page = (target && target.closest("article")) || pages[0];
    for (const other of document.querySelectorAll("article.on")) other.classList.remove("on");
    for (const other of document.querySelectorAll("nav [aria-current]")) other.removeAttribute("aria-current");
    page.classList.add("on");
    for (const link of document.querySelectorAll("nav a")) {
      if (link.getAttribute("href") === "#" + page.id) {
        link.setAttribute("aria-current", "page");
        for (let at = link.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
      }
    }
    document.title = page.dataset.title + " · " + document.body.dataset.title;
    root.classList.remove("open");
    if (target && target !== page) target.scrollIntoView();
    else scrollTo(0, 0);
  };
  addEventListener("hashchange", show);

  // What can be found: pages and forms by their names, then all text.
  const plain = (text) => text.toLowerCase().replace(/[\s._-]+/g, "");
  let entries;
  const collect = () => {
    entries = [];
    for (const page of pages) {
      const about = page.querySelector("p");
      entries.push({ id: page.id, title: page.dataset.title, name: plain(page.dataset.title), about: about ? about.textContent : "", text: page.textContent.toLowerCase() });
      for (const head of page.querySelectorAll("h3[id]")) {
        const title = head.textContent.replace(/^(Form|Function|Register file) /, "");
        if (plain(title) !== plain(page.dataset.title)) entries.push({ id: head.id, title, name: plain(title), about: page.dataset.title, text: "" });
      }
    }
  };
  const rank = (entry, name, words) => {
    if (name && entry.name === name) return 0;
    if (name && entry.name.startsWith(name)) return 1;
    if (name && entry.name.includes(name)) return 2;
    return words.length && words.every((word) => entry.text.includes(word)) ? 3 : 9;
  };
  let chosen = 0;
  const choose = (at) => {
    const items = [...list.children];
    chosen = Math.max(0, Math.min(at, items.length - 1));
    items.forEach((item, index) => item.classList.toggle("on", index === chosen));
    if (items[chosen]) items[chosen].scrollIntoView({ block: "nearest" });
  };
  const search = () => {
    if (!entries) collect();
    const name = plain(field.value);
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = entries.map((entry, index) => ({ entry, index, rank: rank(entry, name, words) }));
    const best = words.length ? found.filter((one) => one.rank < 9) : [];
    best.sort((a, b) => a.rank - b.rank || a.entry.title.length - b.entry.title.length || a.index - b.index);
    list.replaceChildren(...best.slice(0, 40).map(({ entry }) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      const about = document.createElement("small");
      link.href = "#" + entry.id;
      link.textContent = entry.title;
      about.textContent = entry.about;
      link.append(about);
      item.append(link);
      return item;
    }));
    choose(0);
  };
  const close = () => {
    list.replaceChildren();
    field.blur();
  };
  field.addEventListener("input", search);
  field.addEventListener("focus", search);
  list.addEventListener("click", close);
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter" && list.children[chosen]) {
      location.hash = list.children[chosen].firstChild.getAttribute("href");
      close();
    } else return;
    event.preventDefault();
  });
  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.focus();
      field.select();
    }
  });
  addEventListener("click", (event) => {
    if (!event.target.closest("#find,#found")) list.replaceChildren();
  });
  document.getElementById("menu").addEventListener("click", () => root.classList.toggle("open"));
  show();
})();
