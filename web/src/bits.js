// The bits of a word as a picture: rows of 32 boxes, fields in the colours of their roles.
import { make } from "./dom.js";

const ROW = 32;

/** The pieces of a field, as pairs of its highest and lowest bit. */
function pieces(field) {
    const runs = field.bits ? field.bits.split(",") : [`${field.high}:${field.low}`];
    return runs.map((run) => {
        const [high, low] = run.trim().split(":").map(Number);
        return [high, low ?? high];
    });
}

function kind(field) {
    if (field.binding === "fixed") return "fixed";
    const role = field.role.split(" ")[0];
    return { read: "operand", write: "operand", operand: "operand", attribute: "modifier", modifier: "modifier", control: "control", part: "operand" }[role] ?? "other";
}

/** A picture of a word; `differs` says which bits to mark. Bit numbers are those of the specification. */
export function picture(word, differs = () => false) {
    const width = word.length * 8;
    const bits = [...BigInt(word.word).toString(2).padStart(width, "0")].reverse();
    // Where bits are numbered from the highest, the number of a bit is not its place.
    const first = word.fields.flatMap(pieces);
    const falls = first.every(([high, low]) => high >= low);
    const place = (bit) => (falls ? bit : width - 1 - bit);
    const owner = new Array(width).fill(null);
    for (const field of word.fields) {
        for (const [a, b] of pieces(field)) {
            for (let bit = Math.min(place(a), place(b)); bit <= Math.max(place(a), place(b)); bit++) {
                if (bit < width) owner[bit] = field;
            }
        }
    }
    const rows = [];
    for (let high = width - 1; high >= 0; high -= ROW) {
        const low = Math.max(0, high - ROW + 1);
        const row = make("div", { class: "bits" });
        for (let end = high; end >= low;) {
            let start = end;
            while (start > low && owner[start - 1] === owner[end]) start--;
            const field = owner[end];
            const digits = [];
            for (let bit = end; bit >= start; bit--) {
                digits.push(make("span", differs(bit) ? { class: "differs" } : {}, bits[bit]));
            }
            const number = (bit) => String(falls ? bit : width - 1 - bit);
            const box = make("div", {
                class: `box ${field ? kind(field) : "none"}`,
                style: `flex-grow:${end - start + 1}`,
                title: field ? `${field.name} = ${field.value} ${field.meaning ?? "(illegal)"}` : "not part of a field",
            },
            make("div", { class: "numbers" }, make("span", {}, number(end)), start < end ? make("span", {}, number(start)) : null),
            make("div", { class: "digits" }, digits),
            make("div", { class: "name" }, field ? field.name : ""));
            row.append(box);
            end = start - 1;
        }
        rows.push(row);
    }
    return make("div", { class: "wide picture", role: "img", "aria-label": `bits of ${word.word}` }, make("div", {}, rows));
}
