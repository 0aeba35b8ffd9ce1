// The grammar on all specifications: every keyword, comment, text and number that is in statements has its colour, and
// prose has none of them.

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const oniguruma = require("vscode-oniguruma");
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");

const folder = path.join(__dirname, "..");
const spec = path.join(folder, "..", "..", "spec");

async function grammar() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm);
  const file = path.join(folder, "syntaxes", "isadl.tmLanguage.json");
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) =>
      scope === "source.isadl" ? parseRawGrammar(fs.readFileSync(file, "utf8"), file) : null,
  });
  return registry.loadGrammar("source.isadl");
}

function* files(of) {
  for (const entry of fs.readdirSync(of, { withFileTypes: true })) {
    const full = path.join(of, entry.name);
    if (entry.isDirectory()) yield* files(full);
    else if (entry.name.endsWith(".isa")) yield full;
  }
}

function* words(of, text) {
  let stack = INITIAL;
  for (const [number, line] of text.split("\n").entries()) {
    const { tokens, ruleStack } = of.tokenizeLine(line, stack);
    stack = ruleStack;
    for (const token of tokens) {
      const word = line.slice(token.startIndex, token.endIndex).trim();
      yield { word, scopes: token.scopes.join(" "), line: number + 1, whole: line };
    }
  }
}

test("definitions, sections, comments and fields of all specifications", async () => {
  const isadl = await grammar();
  let [definitions, headings, fields, rows] = [0, 0, 0, 0];
  for (const file of files(spec)) {
    for (const { word, scopes, line, whole } of words(isadl, fs.readFileSync(file, "utf8"))) {
      const where = `${file}:${line}: ${whole}`;
      if (whole.startsWith("__Def") && word.startsWith("__Def")) {
        assert.match(scopes, /keyword\.declaration/, where);
        definitions += 1;
      }
      if (/^ *__[A-Z][A-Za-z]+$/.test(whole) && word.startsWith("__") && !word.startsWith("__Def")) {
        assert.match(scopes, /keyword\.control\.section/, where);
        headings += 1;
      }
      if (/^ {4}field[<[]/.test(whole) && word === "field") {
        assert.match(scopes, /storage\.type/, where);
        fields += 1;
      }
      if (/entity\.name\.function/.test(scopes)) rows += 1;
      if (/meta\.prose/.test(scopes) && !/program/.test(scopes)) assert.doesNotMatch(scopes, /storage|keyword\.other/, where);
    }
  }
  assert.ok(definitions > 1500 && headings > 2500 && fields > 900 && rows > 1000, `${definitions} ${headings} ${fields} ${rows}`);
});

test("programs in fences and in comments of tables", async () => {
  const isadl = await grammar();
  const text = [
    "__DefGroup ALL : []",
    "  __Semantics",
    "Prose if not.",
    "```isa",
    "fn f(x : bits(8)) = x == 1 ? signed(x) : 0x2 // why",
    "```",
    "More if not.",
    "__DefInstructions : [ALL]",
    "    /// Adds if not.",
    '    ///= if rd == "RZ" { trap T(1) }',
    '    ADD "add" [7:0] == 1;',
  ].join("\n");
  const found = [...words(isadl, text)].map(({ word, scopes, line }) => [line, word, scopes.split(" ").at(-1)]);
  const has = (line, word, scope) =>
    assert.ok(found.some(([l, w, s]) => l === line && w === word && s === scope), `${line} ${word} ${scope}`);
  has(3, "Prose if not.", "meta.prose.isadl");
  has(5, "fn", "storage.type.isadl");
  has(5, "f", "entity.name.function.isadl");
  has(5, "bits", "storage.type.isadl");
  has(5, "==", "keyword.operator.isadl");
  has(5, "0x2", "constant.numeric.isadl");
  has(5, "// why", "comment.line.double-slash.isadl");
  has(7, "More if not.", "meta.prose.isadl");
  has(9, "/// Adds if not.", "comment.line.documentation.isadl");
  has(10, "///=", "comment.line.documentation.isadl");
  has(10, "if", "keyword.control.isadl");
  has(10, '"RZ"', "string.quoted.double.isadl");
  has(10, "T", "entity.name.function.isadl");
  has(11, "ADD", "entity.name.function.isadl");
  has(11, '"add"', "string.quoted.double.isadl");
});

test("a small text, word by word", async () => {
  const isadl = await grammar();
  const text = [
    '__DefOpcode ADD : [ALL] // why',
    "  __Encoding",
    "    field<0, 8> Reg ra.neg = 0x1f;",
    "  __Description",
    "Adds field<0, 8> and 2.",
    "  __OperandInfo",
    '    Mnemonic<"add">; Bitwidth<ra> = 32; // bits',
    "Prose with InList and 3.",
    "  __Exception",
    '    EncodingError<K, "two // words"> = ra == "R1" and not rb;',
  ].join("\n");
  const found = [...words(isadl, text)].map(({ word, scopes, line }) => [line, word, scopes.split(" ").at(-1)]);
  const has = (line, word, scope) =>
    assert.ok(
      found.some(([l, w, s]) => l === line && w === word && s === scope),
      `${line} ${word} ${scope} in ${JSON.stringify(found.filter(([l]) => l === line))}`,
    );
  has(1, "__DefOpcode", "keyword.declaration.isadl");
  has(1, "ADD", "entity.name.type.isadl");
  has(1, "// why", "comment.line.double-slash.isadl");
  has(3, "Reg", "support.type.isadl");
  has(3, "ra.neg", "variable.other.member.isadl");
  has(3, "0x1f", "constant.numeric.isadl");
  has(5, "Adds field<0, 8> and 2.", "meta.prose.isadl");
  has(7, '"add"', "string.quoted.double.isadl");
  has(7, "// bits", "comment.line.double-slash.isadl");
  has(8, "Prose with InList and 3.", "source.isadl");
  has(10, '"two // words"', "string.quoted.double.isadl");
  has(10, "not", "keyword.operator.word.isadl");
});
