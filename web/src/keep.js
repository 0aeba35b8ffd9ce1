// What was typed and is not on disk, kept in the browser so that it outlives a reload, another instruction set, and the server.
import { known, state } from "./ask.js";

/** What is typed into tools. */
const INPUTS = ["word", "other", "line", "program", "address"];

const ALL = "isadl:inputs";

/** Servers of several projects may follow one another at one address, so that the folder tells sets apart. */
function key() {
    return `isadl:texts:${known.keys[state.set]}`;
}

/** Keeps what is shown; whether the browser took it. */
export function keep() {
    if (known.files.length === 0) return false;
    try {
        const onDisk = (name) => known.files.find((file) => file.name === name)?.text;
        // With the text on disk from which somebody began to type.
        const texts = Object.entries(state.texts).map(([name, text]) => [name, { text, base: known.bases[name] ?? onDisk(name) }]);
        if (texts.length === 0) localStorage.removeItem(key());
        else localStorage.setItem(key(), JSON.stringify(Object.fromEntries(texts)));
        localStorage.setItem(ALL, JSON.stringify(Object.fromEntries(INPUTS.map((name) => [name, state[name]]))));
        return true;
    } catch {
        return false;
    }
}

function parsed(name) {
    try {
        return Object.entries(JSON.parse(localStorage.getItem(name)) ?? {});
    } catch {
        return [];
    }
}

/** Takes over what was typed into tools. */
export function inputsKept() {
    for (const [name, value] of parsed(ALL)) if (INPUTS.includes(name) && typeof value === "string") state[name] = value;
}

/** Takes over the texts of the instruction set that were not on disk. */
export function textsKept() {
    known.bases = {};
    for (const [name, one] of parsed(key())) {
        const file = known.files.find((own) => own.name === name);
        if (!file || typeof one?.text !== "string" || one.text === file.text) continue;
        state.texts[name] ??= one.text;
        if (typeof one.base === "string") known.bases[name] = one.base;
    }
}
