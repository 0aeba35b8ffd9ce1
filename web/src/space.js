// What is taken and free in the encoding.
import { ask, latest, state } from "./ask.js";
import { make } from "./dom.js";

export function spacePanel(panel) {
    const turn = latest();
    const run = () => turn(ask({ kind: "space" }), ({ spaces }) => {
        if (!spaces.length) return panel.replaceChildren(make("p", { class: "note" }, "No group has fields that tell its opcodes apart."));
        state.space = Math.min(state.space, spaces.length - 1);
        const out = make("div", { class: "wide" });
        const show = () => out.replaceChildren(make("img", {
            src: `data:image/svg+xml,${encodeURIComponent(spaces[state.space].svg)}`, alt: `encoding space of ${spaces[state.space].group}`,
        }));
        const choose = make("select", { onchange: (event) => { state.space = Number(event.target.value); show(); } },
            spaces.map((space, at) => make("option", { value: String(at), selected: at === state.space }, `${space.group}${space.generations.length ? ` (${space.generations.join(", ")})` : ""}`)));
        panel.replaceChildren(make("label", { class: "input" }, "Group", choose), out);
        show();
    }, (error) => panel.replaceChildren(make("p", { class: "error" }, error.message)));
    run();
    return run;
}
