// A link that holds what is shown: the state as JSON, compressed, after `#`.
import { state } from "./ask.js";

async function through(stream, bytes) {
    const made = new Blob([bytes]).stream().pipeThrough(stream);
    return new Uint8Array(await new Response(made).arrayBuffer());
}

export async function written() {
    const bytes = new TextEncoder().encode(JSON.stringify(state));
    const packed = await through(new CompressionStream("deflate-raw"), bytes);
    let text = "";
    for (const byte of packed) text += String.fromCharCode(byte);
    return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Takes the state of a link over; whether it is one. */
export async function read(hash) {
    try {
        const text = atob(hash.replace(/^#/, "").replaceAll("-", "+").replaceAll("_", "/"));
        const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
        const plain = await through(new DecompressionStream("deflate-raw"), bytes);
        const held = JSON.parse(new TextDecoder().decode(plain));
        // Only what has the type that it should have.
        for (const [key, value] of Object.entries(held)) {
            const own = state[key];
            const fits = own === null ? value === null || typeof value === "string" : typeof value === typeof own;
            if (key in state && fits && (key !== "texts" || isTexts(value))) state[key] = value;
        }
        return true;
    } catch {
        return false;
    }
}

function isTexts(value) {
    return value !== null && Object.values(value).every((text) => typeof text === "string");
}
