// The editors: that of the specification, with findings, descriptions and completion, and a plain one for programs.
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The language, as far as colours need it. */
const language = StreamLanguage.define({
    name: "isadl",
    startState: () => ({ prose: false }),
    token(stream, at) {
        if (stream.sol()) {
            if (stream.match(/^__Def\w+/)) { at.prose = false; return "keyword"; }
            if (stream.match(/^\s+__(Description|Semantics|Simulation|Exception|ModifierInfo|Syntax)\b/)) { at.prose = true; return "heading"; }
            if (stream.match(/^\s+__\w+/)) { at.prose = false; return "heading"; }
        }
        if (stream.match(/^\/\/.*/)) return "comment";
        if (at.prose) { stream.skipToEnd(); return "content"; }
        if (stream.match(/^(`[^`]*`|"[^"]*")/)) return "string";
        if (stream.match(/^(0x[0-9a-f_]+|0b[01_-]+|\d+)\b/i)) return "number";
        if (stream.match(/^@\[[^\]]*\]/)) return "meta";
        if (stream.match(/^(field|fixed|literal|control|operand|read|write|rule|illegal|encoding|default|alias|fix|value|signed|unsigned|zero|ignored|unused|reserved|for|where|with|from)\b/)) return "operatorKeyword";
        if (stream.match(/^[A-Za-z_]\w*/)) return "name";
        stream.next();
        return null;
    },
});

const colours = HighlightStyle.define([
    { tag: tags.keyword, color: "var(--keyword)", fontWeight: "600" },
    { tag: tags.heading, color: "var(--section)", fontWeight: "600" },
    { tag: tags.operatorKeyword, color: "var(--statement)" },
    { tag: tags.comment, color: "var(--quiet)" },
    { tag: tags.string, color: "var(--string)" },
    { tag: tags.number, color: "var(--number)" },
    { tag: tags.meta, color: "var(--guard)" },
]);

const look = EditorView.theme({
    "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--paper)", color: "var(--ink)" },
    ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.45" },
    ".cm-gutters": { backgroundColor: "var(--shade)", color: "var(--quiet)", border: "none" },
    ".cm-activeLine": { backgroundColor: "var(--line)" },
    ".cm-cursor": { borderLeftColor: "var(--ink)" },
    "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection) !important" },
    ".cm-tooltip": { backgroundColor: "var(--shade)", color: "var(--ink)", border: "1px solid var(--edge)" },
    ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--paper)" },
    ".cm-panels": { backgroundColor: "var(--shade)", color: "var(--ink)" },
});

const common = [
    lineNumbers(), history(), drawSelection(), highlightActiveLine(), highlightSelectionMatches(), lintGutter(),
    syntaxHighlighting(colours), look, EditorState.tabSize.of(4),
    keymap.of([...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
];

/** The place of a line and a UTF-16 unit; the nearest that there is. */
function offset(doc, { line, character }) {
    const found = doc.line(Math.min(line + 1, doc.lines));
    return Math.min(found.from + character, found.to);
}

function position(doc, at) {
    const line = doc.lineAt(at);
    return { line: line.number - 1, character: at - line.from };
}

function diagnostics(doc, findings) {
    return findings.map((finding) => {
        const from = offset(doc, finding.range.start);
        return {
            from,
            to: Math.max(from, offset(doc, finding.range.end)),
            severity: finding.severity === 1 ? "error" : "warning",
            source: finding.code,
            message: finding.message,
            actions: (finding.data ?? []).map((fix) => ({
                name: fix.title,
                apply: (view) => {
                    const { doc: now } = view.state;
                    view.dispatch({ changes: { from: offset(now, fix.range.start), to: offset(now, fix.range.end), insert: fix.new_text } });
                },
            })),
        };
    });
}

function mark(view, findings) {
    const found = diagnostics(view.state.doc, findings);
    view.dispatch(setDiagnostics(view.state, found.sort((a, b) => a.from - b.from)));
}

/** An editor for programs. */
export function plainEditor(parent, text, changed) {
    const view = new EditorView({
        parent,
        doc: text,
        extensions: [common, EditorView.contentAttributes.of({ "aria-label": "Program" }),
            EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString()))],
    });
    return { mark: (findings) => mark(view, findings) };
}

/** The words of the completion list, by what the server calls them. */
const kinds = { 3: "function", 5: "property", 7: "type", 8: "interface", 12: "constant", 13: "enum", 14: "keyword", 20: "enum", 22: "class", 25: "type" };

/**
 * The editor of the specification.
 * `hover(place)` and `complete(place)` ask the server; `changed(text)` hears of every change by the user.
 */
export function specEditor(parent, { changed, hover, complete }) {
    let quiet = false;
    const described = hoverTooltip(async (view, pos) => {
        const answer = await hover(position(view.state.doc, pos)).catch(() => null);
        if (!answer) return null;
        return {
            pos: answer.range ? offset(view.state.doc, answer.range.start) : pos,
            end: answer.range ? offset(view.state.doc, answer.range.end) : pos,
            create: () => {
                const dom = document.createElement("div");
                dom.className = "hover";
                // The server makes this text of the specification; markup in it is shown as text.
                dom.innerHTML = answer.html;
                return { dom };
            },
        };
    }, { hoverTime: 250 });
    const completed = async (context) => {
        const word = context.matchBefore(/[\w.]*/);
        if (!context.explicit && word.from === word.to) return null;
        const items = await complete(position(context.state.doc, context.pos)).catch(() => []);
        return {
            from: word.from,
            validFor: /^[\w.]*$/,
            options: items.map((item) => ({ label: item.label, detail: item.detail ?? "", type: kinds[item.kind] ?? "text", apply: item.insertText ?? item.label })),
        };
    };
    const extensions = [common, language, described, autocompletion({ override: [completed] }),
        EditorView.contentAttributes.of({ "aria-label": "Specification" }),
        EditorView.updateListener.of((update) => update.docChanged && !quiet && changed(update.state.doc.toString()))];
    const view = new EditorView({ parent, extensions });
    const states = new Map();
    let shown = "";
    return {
        view,
        /** Shows a file. What was undone in others can still be redone when they are shown again. */
        show(name, text) {
            if (shown) states.set(shown, view.state);
            shown = name;
            const kept = states.get(name);
            view.setState(kept?.doc.toString() === text ? kept : EditorState.create({ doc: text, extensions }));
        },
        /** Puts another text in the place of the one that is shown. */
        replace(text, byUser = false) {
            quiet = !byUser;
            view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
            quiet = false;
        },
        mark: (findings) => mark(view, findings),
        goTo({ start }) {
            const at = offset(view.state.doc, start);
            view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
            view.focus();
        },
    };
}
