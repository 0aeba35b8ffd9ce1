// Questions to the server, and what is shown now.

/** What is shown: the state that a link holds. */
export const state = {
    set: 0,
    file: "",
    generation: null,
    tab: "word",
    /** Texts that are not as on disk. */
    texts: {},
    word: "",
    other: "",
    line: "",
    program: "",
    address: "0",
    page: "README.md",
    space: 0,
};

/** The instruction set as it was found last. */
export const known = {
    sets: [],
    files: [],
    /** What tells the instruction sets apart, also those of other servers. */
    keys: [],
    /** The texts on disk from which somebody began to type, by file. */
    bases: {},
    stamp: "",
    check: null,
    /** The texts of the last check without errors, by which tools answer while there are some. */
    good: null,
};

/** Questions about the texts as they are, whatever is wrong with them; all others need an instruction set. */
const OF_TEXTS = new Set(["sets", "open", "stamp", "check", "hover", "complete", "format"]);

/** Whether tools answer by texts that are not the shown ones. */
export function isBehind() {
    return known.check?.compiled === false && known.good !== null;
}

/** Asks about the texts that are shown. What the server refuses is an error with its reason. */
export async function ask(ask) {
    const texts = !OF_TEXTS.has(ask.kind) && isBehind() ? known.good : state.texts;
    const answer = await fetch("/ask", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
            set: state.set,
            texts,
            generation: state.generation,
            ask,
        }),
    });
    const value = await answer.json();
    if (!answer.ok) throw new Error(value.error);
    return value;
}

/** Runs the latest of several calls once there was none for a while. */
export function later(wait, run) {
    let timer;
    return (...given) => {
        clearTimeout(timer);
        timer = setTimeout(() => run(...given), wait);
    };
}

/** Runs at once, and never twice at a time: of the calls meanwhile, the last one runs afterwards. */
export function oneAtATime(run) {
    let busy = false;
    let again = false;
    return async function call() {
        again = busy;
        if (busy) return;
        busy = true;
        await run();
        busy = false;
        if (again) call();
    };
}

/** Keeps answers in order: those to questions that were overtaken are dropped. */
export function latest() {
    let turn = 0;
    return async (promise, use, fail) => {
        const own = ++turn;
        try {
            const value = await promise;
            if (own === turn) use(value);
        } catch (error) {
            if (own === turn) fail(error);
        }
    };
}
