// The manual of the texts that are shown, with search.
import { ask, later, latest, state } from "./ask.js";
import { make } from "./dom.js";

export function manualPanel(panel) {
    const page = make("article", { class: "page", tabindex: "-1" });
    const hits = make("ul", { class: "hits" });
    const turn = latest();
    const find = latest();
    const fail = (error) => page.replaceChildren(make("p", { class: "error" }, error.message));
    const go = (target) => {
        state.page = target;
        run().then(() => page.focus({ preventScroll: true }));
    };
    const run = () => {
        const [name, heading] = state.page.split("#");
        return turn(ask({ kind: "page", name }), ({ html }) => {
            const place = page.dataset.name === name ? page.scrollTop : 0;
            page.dataset.name = name;
            // The server makes this text of the specification; markup in it is shown as text.
            page.innerHTML = html;
            const at = heading ? page.querySelector(`#${CSS.escape(heading)}`) : null;
            if (at) at.scrollIntoView();
            else page.scrollTop = place;
        }, fail);
    };
    page.addEventListener("click", (event) => {
        const link = event.target.closest("a");
        const target = link?.getAttribute("href") ?? "";
        if (link && !/^https?:/.test(target)) event.preventDefault();
        if (target.startsWith("page:")) go(target.slice(5));
    });
    const search = later(80, (text) => {
        if (!text.trim()) return hits.replaceChildren();
        return find(ask({ kind: "search", text }), (found) => hits.replaceChildren(...(found.hits.length ? found.hits.map((hit) => make("li", {},
            make("a", { href: `page:${hit.page}`, onclick: (event) => { event.preventDefault(); hits.replaceChildren(); go(hit.page); } }, hit.title),
            make("span", {}, ` ${hit.line.slice(0, 120)}`))) : [make("li", {}, "nothing found")])), fail);
    });
    panel.replaceChildren(make("div", { class: "bar" },
        make("button", { onclick: () => go("README.md") }, "First page"),
        make("label", { class: "input" }, "Search", make("input", { type: "search", id: "search", spellcheck: false, oninput: (event) => search(event.target.value) }))),
    hits, page);
    run();
    return run;
}
