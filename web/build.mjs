// Makes the page that the server embeds, in crates/isadl-serve/src/page. `--check` writes nothing, and fails if it is stale.
import { build } from "esbuild";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const out = new URL("../crates/isadl-serve/src/page/", import.meta.url);
const limit = 600_000;

const made = await build({
    entryPoints: ["src/app.js", "src/app.css"],
    absWorkingDir: new URL(".", import.meta.url).pathname,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    outdir: "made",
    write: false,
    metafile: true,
});
const files = new Map(made.outputFiles.map((file) => [file.path.split("/").pop(), file.text]));
for (const name of ["index.html", "icon.svg"]) {
    files.set(name, await readFile(new URL(`src/${name}`, import.meta.url), "utf8"));
}

// What is bundled keeps its licences.
const packages = new Set();
for (const input of Object.keys(made.metafile.inputs)) {
    const found = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) packages.add(found[1]);
}
let licences = "";
for (const name of [...packages].sort()) {
    const folder = new URL(`node_modules/${name}/`, import.meta.url);
    const { version, license } = JSON.parse(await readFile(new URL("package.json", folder), "utf8"));
    const file = (await readdir(folder)).find((file) => /^licen[cs]e/i.test(file));
    licences += `${name} ${version} (${license})\n\n${file ? await readFile(new URL(file, folder), "utf8") : ""}\n\n`;
}
files.set("licences.txt", licences.trimEnd() + "\n");

let total = 0;
let stale = 0;
for (const [name, text] of files) {
    const path = new URL(name, out);
    const size = Buffer.byteLength(text);
    total += size;
    console.log(`${name}: ${size} bytes, ${gzipSync(text).length} compressed`);
    const old = await readFile(path, "utf8").catch(() => "");
    if (old === text) continue;
    if (process.argv.includes("--check")) {
        console.error(`${path.pathname} is stale; run \`npm run build\` in web/`);
        stale += 1;
    } else {
        await writeFile(path, text);
    }
}
console.log(`in all: ${total} bytes`);
if (total >= limit) console.error(`the page has ${total} bytes; ${limit} are allowed`);
process.exit(stale || total >= limit ? 1 : 0);
