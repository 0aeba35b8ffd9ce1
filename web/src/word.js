// A word or a line: what it means. Two words side by side.
import { ask, later, latest, state } from "./ask.js";
import { picture } from "./bits.js";
import { make, table } from "./dom.js";

/** The word of a text: itself, or what a line assembles to. */
async function wordOf(text) {
    if (/^\s*(0x[0-9a-f_]+|[0-9a-f]{2}([\s:]+[0-9a-f]{2})*)\s*$/i.test(text)) return { text };
    const made = await ask({ kind: "line", text });
    return made.error ? made : { text: made.bytes };
}

async function explained(text) {
    const made = await wordOf(text);
    if (made.error) return made;
    try {
        return await ask({ kind: "word", text: made.text });
    } catch (error) {
        return { error: error.message };
    }
}

function uses(list) {
    return list.map((use) => (use.certain ? use.resource : `${use.resource} (perhaps)`)).join(", ") || "nothing";
}

function facts(word, show) {
    const manual = word.manual?.replace("docs/src/", "");
    const rows = [
        ["word", make("code", {}, word.word)],
        ["bytes", make("code", {}, word.bytes)],
        word.opcode ? ["opcode", manual ? make("a", { href: `page:${manual}`, onclick: (event) => show(event, manual) }, word.opcode) : word.opcode] : null,
        word.text ? ["text", make("code", { class: "text" }, word.text)] : null,
        word.plain_text ? [`alias of`, make("code", {}, word.plain_text)] : null,
        word.description ? ["about", word.description] : null,
        word.legal ? ["reads", uses(word.reads)] : null,
        word.legal ? ["writes", uses(word.writes)] : null,
        word.flow_control ? ["flow", word.flow_control] : null,
        word.does ? ["does", make("pre", { class: "does" }, word.does)] : null,
    ];
    return make("dl", {}, rows.filter(Boolean).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

function problems(word) {
    const errors = word.errors.map((error) => make("p", { class: "error" }, error.message));
    const refused = word.assembler_errors.map((error) => make("p", { class: "note" }, `Assemblers refuse to produce it: ${error.message}`));
    const stray = word.stray_bits ? [make("p", { class: "note" }, `Bits outside fields that encoders write otherwise: ${word.stray_bits}`)] : [];
    return [...errors, ...refused, ...stray];
}

function nearest(word) {
    return word.nearest.map((near) => make("details", { open: true },
        make("summary", {}, `near: ${near.opcode}; bits that differ: ${near.bits}`),
        table([["bits", "field", "has", "needs"], ...near.fields.map((field) => [
            field.bits ?? `${field.high}:${field.low}`, field.name,
            `${field.has.value} ${field.has.meaning ?? ""}`, `${field.needs.value} ${field.needs.meaning ?? ""}`,
        ])])));
}

function fields(word) {
    return table([["bits", "field", "type", "value", "meaning", "role", "from"], ...word.fields.map((field) => [
        field.bits ?? (field.high === field.low ? `${field.high}` : `${field.high}:${field.low}`),
        field.name, field.type, make("code", {}, field.value), field.meaning ?? make("span", { class: "error" }, "illegal"), field.role, field.from,
    ])]);
}

/** A word, explained; `differs` marks bits. */
function shown(word, show, differs) {
    if (word.error) return [make("p", { class: "error" }, word.error)];
    return [facts(word, show), ...problems(word), word.opcode ? picture(word, differs) : null, word.opcode ? fields(word) : null, ...nearest(word)];
}

function input(label, key, changed, hint) {
    return make("label", { class: "input" }, label, make("input", {
        type: "text", value: state[key], spellcheck: false, autocomplete: "off", placeholder: hint, id: `${key}-input`,
        oninput: (event) => { state[key] = event.target.value; changed(); },
    }));
}

const HINT = "0x…, bytes in memory order, or an instruction";

export function wordPanel(panel, show) {
    const out = make("div", { class: "out", "aria-live": "polite" });
    const turn = latest();
    const run = () => {
        if (!state.word.trim()) return out.replaceChildren(make("p", { class: "note" }, "A word as a number or as bytes, or a line of assembly: its bits, fields, text, reads and writes, and why it is illegal."));
        return turn(explained(state.word), (word) => out.replaceChildren(...shown(word, show).filter(Boolean)), (error) => out.replaceChildren(make("p", { class: "error" }, error.message)));
    };
    panel.replaceChildren(input("Word or line", "word", later(40, run), HINT), out);
    run();
    return run;
}

export function comparePanel(panel, show) {
    const out = make("div", { class: "two", "aria-live": "polite" });
    const turn = latest();
    const run = () => {
        if (!state.word.trim() || !state.other.trim()) return out.replaceChildren(make("p", { class: "note" }, "Two words or lines: where they differ, bit by bit and field by field."));
        return turn(Promise.all([explained(state.word), explained(state.other)]), (words) => out.replaceChildren(...compared(words, show)), (error) => out.replaceChildren(make("p", { class: "error" }, error.message)));
    };
    const changed = later(40, run);
    panel.replaceChildren(input("First", "word", changed, HINT), input("Second", "other", changed, HINT), out);
    run();
    return run;
}

function different(count) {
    return count === 1 ? "1 bit differs." : `${count} bits differ.`;
}

function compared([first, second], show) {
    const bits = (word) => (word.error ? 0n : BigInt(word.word));
    const changed = bits(first) ^ bits(second);
    const differs = (bit) => (changed >> BigInt(bit)) & 1n;
    const columns = [first, second].map((word) => make("div", {}, ...shown(word, show, (bit) => !first.error && !second.error && differs(bit) === 1n).filter(Boolean)));
    if (first.error || second.error) return columns;
    const names = new Set([...first.fields, ...second.fields].map((field) => field.name));
    const value = (word, name) => {
        const field = word.fields.find((one) => one.name === name);
        return field ? `${field.value} ${field.meaning ?? "(illegal)"}` : "–";
    };
    const rows = [...names].map((name) => [name, value(first, name), value(second, name)]).filter(([, a, b]) => a !== b);
    const text = changed === 0n ? "The words are equal." : different([...changed.toString(2)].filter((bit) => bit === "1").length);
    return [make("div", { class: "both" }, make("p", { id: "differences" }, text), rows.length ? table([["field", "first", "second"], ...rows]) : ""), ...columns];
}
