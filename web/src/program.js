// A program as bytes: what each line becomes, and what is wrong with it.
import { ask, later, latest, state } from "./ask.js";
import { make, table } from "./dom.js";
import { plainEditor } from "./editor.js";

export function programPanel(panel) {
    const out = make("div", { class: "out", "aria-live": "polite" });
    const turn = latest();
    const editor = make("div", { class: "source" });
    const run = () => turn(ask({ kind: "program", text: state.program, address: number(state.address) }), (made) => {
        view.mark(made.findings ?? []);
        out.replaceChildren(...listing(made));
    }, (error) => out.replaceChildren(make("p", { class: "error" }, error.message)));
    const changed = later(60, run);
    const view = plainEditor(editor, state.program, (text) => { state.program = text; changed(); });
    panel.replaceChildren(make("label", { class: "input" }, "Address of the first byte", make("input", {
        type: "text", value: state.address, size: "12", spellcheck: false, oninput: (event) => { state.address = event.target.value; changed(); },
    })), editor, out);
    run();
    return run;
}

function number(text) {
    const value = Number(text.trim() || "0");
    return Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

function listing(made) {
    const lines = state.program.split("\n");
    const said = (made.findings ?? []).map((finding) => make("p", { class: finding.severity === 1 ? "error" : "note" }, `line ${finding.range.start.line + 1}: ${finding.message}`));
    if (!made.legal) return said;
    const rows = made.rows.map((row) => [
        make("code", {}, row.address), make("code", { class: "bytes" }, row.bytes), make("code", {}, row.line ? lines[row.line - 1].trim() : ""),
    ]);
    if (!rows.length) return [...said, make("p", { class: "note" }, "Labels, directives and macros as `isadl asm` has them.")];
    return [...said, make("p", { id: "size" }, `${made.bytes} bytes`), table([["address", "bytes", "line"], ...rows])];
}
