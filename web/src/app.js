// The page: which set, file and tool are shown, and how they keep up with what is typed and saved.
import { ask, isBehind, known, latest, oneAtATime, state } from "./ask.js";
import { id, make } from "./dom.js";
import { specEditor } from "./editor.js";
import { inputsKept, keep, textsKept } from "./keep.js";
import { read, written } from "./link.js";
import { manualPanel } from "./manual.js";
import { programPanel } from "./program.js";
import { spacePanel } from "./space.js";
import { comparePanel, wordPanel } from "./word.js";

const TOOLS = [
    ["word", "Word", wordPanel],
    ["program", "Program", programPanel],
    ["compare", "Compare", comparePanel],
    ["space", "Space", spacePanel],
    ["manual", "Manual", manualPanel],
];

/** How often files on disk are looked at, in milliseconds. */
const PAUSE = 1000;

let rerun = () => {};
const checking = latest();

const editor = specEditor(id("text"), {
    changed(text) {
        const file = known.files.find((one) => one.name === state.file);
        if (file && file.text === text) {
            delete state.texts[state.file];
            delete known.bases[state.file];
        } else {
            state.texts[state.file] = text;
            known.bases[state.file] ??= file?.text;
        }
        keep();
        showEdited();
        check();
    },
    hover: (place) => ask({ kind: "hover", file: state.file, place }),
    complete: (place) => ask({ kind: "complete", file: state.file, place }),
});

const check = oneAtATime(checkNow);

function checkNow() {
    const start = performance.now();
    return checking(ask({ kind: "check" }), (found) => {
        known.check = found;
        // On disk, texts may have changed since; then tools say what is wrong until it is mended.
        if (found.compiled) known.good = { ...state.texts };
        id("state").textContent = `${count(found.errors, "error")}, ${count(found.warnings, "warning")} · ${found.compiled ? `${count(found.opcodes.length, "opcode")} · ` : ""}${Math.round(performance.now() - start)} ms${isBehind() ? " · tools: as before the errors" : ""}`;
        id("state").className = found.errors ? "error" : "";
        showGenerations(found.generations);
        editor.mark(found.findings[state.file] ?? []);
        showFindings(found.findings);
        rerun();
    }, fail);
}

function count(number, noun) {
    return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function fail(error) {
    id("state").textContent = error.message;
    id("state").className = "error";
}

function showFindings(findings) {
    const rows = Object.entries(findings).flatMap(([file, list]) => list.map((finding) => ({ file, finding })));
    rows.sort((a, b) => a.finding.severity - b.finding.severity);
    id("findings").replaceChildren(...rows.slice(0, 200).map(({ file, finding }) => make("button", {
        class: finding.severity === 1 ? "finding error" : "finding",
        onclick: () => { if (file !== state.file) showFile(file); editor.goTo(finding.range); },
    }, make("b", {}, finding.code), ` ${finding.message.split("\n")[0]} `, make("small", {}, `${file.split("/").pop()}:${finding.range.start.line + 1}`))));
}

function showGenerations(names) {
    // While there are errors, the generations are those known before.
    if (!names) return;
    id("generations").hidden = names.length < 2;
    if (!names.includes(state.generation)) state.generation = names.length > 1 ? names[0] : null;
    id("generation").replaceChildren(...names.map((name) => make("option", { selected: name === state.generation }, name)));
}

function showEdited() {
    id("reset").disabled = !(state.file in state.texts);
    for (const option of id("file").options) option.textContent = label(option.value);
}

function label(name) {
    return name.split("/").pop() + (name in state.texts ? " *" : "");
}

function showFile(name) {
    state.file = name;
    id("file").value = name;
    const file = known.files.find((one) => one.name === name);
    editor.show(name, state.texts[name] ?? file?.text ?? "");
    editor.mark(known.check?.findings[name] ?? []);
    showEdited();
    // On disk, the file is not what somebody began to type from.
    id("changed").hidden = !(name in state.texts && name in known.bases && known.bases[name] !== file?.text);
}

/** Opens an instruction set. */
async function open() {
    id("state").textContent = "reading…";
    const { files, stamp } = await ask({ kind: "open" });
    known.files = files;
    known.stamp = stamp;
    const names = files.map((file) => file.name);
    for (const name of Object.keys(state.texts)) if (!names.includes(name)) delete state.texts[name];
    textsKept();
    id("file").replaceChildren(...names.map((name) => make("option", { value: name }, label(name))));
    showFile(names.includes(state.file) ? state.file : names[0]);
    await checkNow();
}

/** Takes over what was saved by another program. */
async function refresh() {
    const { stamp } = await ask({ kind: "stamp" });
    if (stamp === known.stamp) return;
    const { files, stamp: now } = await ask({ kind: "open" });
    const edited = state.file in state.texts;
    const before = known.files.find((file) => file.name === state.file)?.text;
    known.files = files;
    known.stamp = now;
    const text = files.find((file) => file.name === state.file)?.text;
    if (!edited && text !== undefined && text !== before) editor.replace(text);
    id("changed").hidden = !(edited && text !== before);
    check();
}

function showTool(name) {
    state.tab = TOOLS.some(([own]) => own === name) ? name : "word";
    for (const tab of document.querySelectorAll("nav [role=tab]")) {
        const is = tab.dataset.name === state.tab;
        tab.setAttribute("aria-selected", String(is));
        tab.tabIndex = is ? 0 : -1;
    }
    const panel = id("panel");
    panel.replaceChildren();
    panel.className = state.tab;
    const show = (event, page) => { event.preventDefault(); state.page = page; showTool("manual"); };
    rerun = TOOLS.find(([own]) => own === state.tab)[2](panel, show);
}

/** The keys of a row of tabs. */
function step(event) {
    const at = TOOLS.findIndex(([name]) => name === state.tab);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: TOOLS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    showTool(TOOLS[(to + TOOLS.length) % TOOLS.length][0]);
    document.querySelector("nav [aria-selected=true]").focus();
}

function listen() {
    id("set").addEventListener("change", (event) => {
        keep();
        Object.assign(state, { set: Number(event.target.value), texts: {}, file: "", generation: null, page: "README.md", space: 0 });
        Object.assign(known, { check: null, good: null });
        open().catch(fail);
    });
    id("generation").addEventListener("change", (event) => { state.generation = event.target.value; rerun(); });
    id("file").addEventListener("change", (event) => showFile(event.target.value));
    id("format").addEventListener("click", () => ask({ kind: "format", file: state.file }).then(({ text }) => editor.replace(text, true)).catch(fail));
    const reset = () => {
        const file = known.files.find((one) => one.name === state.file);
        if (file) editor.replace(file.text, true);
        id("changed").hidden = true;
    };
    document.addEventListener("input", keep);
    window.addEventListener("pagehide", keep);
    window.addEventListener("beforeunload", (event) => {
        keep();
        if (Object.keys(state.texts).length > 0) event.preventDefault();
    });
    id("reset").addEventListener("click", reset);
    id("reload").addEventListener("click", reset);
    id("link").addEventListener("click", async () => {
        history.replaceState(null, "", `#${await written()}`);
        await navigator.clipboard?.writeText(location.href).catch(() => {});
        id("link").textContent = "Copied";
        setTimeout(() => { id("link").textContent = "Copy link"; }, 1500);
    });
    document.addEventListener("keydown", (event) => {
        const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.target.isContentEditable;
        if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
        const tool = TOOLS[Number(event.key) - 1];
        if (tool) showTool(tool[0]);
        if (event.key === "/") { event.preventDefault(); showTool("manual"); id("search").focus(); }
    });
    window.addEventListener("hashchange", () => { if (location.hash) location.reload(); });
}

async function start() {
    listen();
    document.querySelector("nav").append(...TOOLS.map(([name, title], at) => make("button", {
        role: "tab", "data-name": name, "aria-controls": "panel", title: `${title} (${at + 1})`, onclick: () => showTool(name), onkeydown: step,
    }, title)));
    inputsKept();
    if (location.hash) await read(location.hash);
    const { sets, keys } = await ask({ kind: "sets" });
    known.sets = sets;
    known.keys = keys;
    state.set = Math.min(Math.max(0, Math.trunc(state.set)), sets.length - 1);
    id("set").replaceChildren(...sets.map((name, at) => make("option", { value: String(at), selected: at === state.set }, name)));
    await open();
    showTool(state.tab);
    document.body.dataset.ready = "yes";
    const watch = () => refresh().catch(fail).finally(() => setTimeout(watch, PAUSE));
    setTimeout(watch, PAUSE);
}

start().catch(fail);
