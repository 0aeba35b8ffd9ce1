// Elements, made shortly.

/** An element: attributes, `onX` listeners, and children that are elements or texts. */
export function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else if (key in element && typeof value !== "string") element[key] = value;
        else if (value !== null && value !== false) element.setAttribute(key, value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return element;
}

/** A table of rows; the first is its head. */
export function table([head, ...rows], attributes = {}) {
    const cells = (name, row) => row.map((cell) => make(name, {}, cell ?? ""));
    return make("div", { class: "wide" }, make("table", attributes,
        make("thead", {}, make("tr", {}, cells("th", head))),
        make("tbody", {}, rows.map((row) => make("tr", {}, cells("td", row))))));
}

export const id = (name) => document.getElementById(name);
