// Uses the page as a user would, in headless Chromium, and looks at what it shows. Screenshots go to shots/.
//
//     npm test [PROGRAM]
//
// PROGRAM is the command line, by default ../target/debug/isadl. The browser is CHROMIUM, or found by its name.
import { chromium } from "playwright-core";
import { strict as assert } from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = new URL("..", import.meta.url).pathname;
const program = process.argv[2] ?? join(root, "target/debug/isadl");
const found = () => execFileSync("sh", ["-c", "command -v chromium || command -v chromium-browser"]).toString().trim();
const shots = new URL("shots/", import.meta.url).pathname;
mkdirSync(shots, { recursive: true });

// A copy, so that files can be changed on disk.
const folder = mkdtempSync(join(tmpdir(), "isadl-page-"));
for (const name of ["simt", "riscv"]) cpSync(join(root, "spec", name), join(folder, name), { recursive: true });
const before = () => execFileSync("sh", ["-c", "find . -type f | sort | xargs cksum"], { cwd: folder }).toString();
const untouched = before();

const server = spawn(program, ["serve", folder], { stdio: ["ignore", "pipe", "inherit"] });
const address = await new Promise((resolve, reject) => {
    server.stdout.once("data", (data) => resolve(data.toString().trim()));
    server.once("exit", () => reject(new Error("the server ended")));
});

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? found(), args: ["--no-sandbox"] });
const faults = [];

/** A page in a window of a size. */
async function page(options = {}, link = address) {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
    const made = await context.newPage();
    made.on("pageerror", (error) => faults.push(String(error)));
    made.on("console", (message) => { if (message.type() === "error" && !/422/.test(message.text())) faults.push(message.text()); });
    await made.goto(link);
    await made.waitForSelector("body[data-ready]");
    return made;
}

const tab = (of, name) => of.click(`nav [data-name=${name}]`);
const steps = [];
async function step(name, run) {
    const start = performance.now();
    await run();
    steps.push(`${name}: ${Math.round(performance.now() - start)} ms`);
}

try {
    const one = await page();
    const choose = (name) => one.selectOption("#set", { label: name });
    const state = () => one.textContent("#state");

    await step("a set is opened", async () => {
        await choose("simt");
        await one.waitForFunction(() => /0 errors.*167 opcodes/.test(document.querySelector("#state").textContent));
    });

    await step("a word is explained", async () => {
        await one.fill("#word-input", "0x1c3e000000000000000201007500");
        await one.waitForSelector(".picture .bits:nth-child(4)");
        assert.match(await one.textContent("#panel"), /IADD R0, R1, -R2/);
        assert.match(await one.textContent("#panel"), /GPR\[1\], GPR\[2\]/);
        await one.screenshot({ path: join(shots, "word.png") });
    });

    await step("a line is a word too", async () => {
        await one.fill("#word-input", "IADD R7, R1, R2");
        await one.waitForFunction(() => /0x00001c3e0000000000000002010074?/.test(document.querySelector("#panel").textContent) || /R7/.test(document.querySelector("#panel dd .text")?.textContent ?? ""));
        await one.fill("#word-input", "IADD R7, R1,");
        await one.waitForSelector("#panel .out > .error");
    });

    await step("an unknown word has neighbours", async () => {
        await one.fill("#word-input", "0x1c3e0000000000000002010075ff");
        await one.waitForSelector("#panel details table");
    });

    await step("a mistake is found while typing, and undone", async () => {
        await one.selectOption("#file", { label: "ialu.isa" });
        await one.click(".cm-content");
        await one.keyboard.press("Control+Home");
        const start = performance.now();
        await one.keyboard.type("__DefOpcode BAD : [NOTHING]\n");
        await one.waitForSelector("#findings .finding.error");
        steps.push(`  from the first key to the finding: ${Math.round(performance.now() - start)} ms`);
        assert.match(await state(), /[1-9]\d* errors?/);
        await one.waitForSelector(".cm-lintRange-error");
        assert.match(await state(), /tools: as before/);
        await one.fill("#word-input", "0x1c3e000000000000000201007500");
        await one.waitForSelector(".picture");
        await one.screenshot({ path: join(shots, "mistake.png") });
        await one.click("#reset");
        await one.waitForFunction(() => /^0 errors/.test(document.querySelector("#state").textContent));
    });

    await step("one key, one answer", async () => {
        await one.click(".cm-content");
        await one.keyboard.press("Control+End");
        const times = [];
        for (let turn = 0; turn < 8; turn++) {
            const answered = one.waitForResponse((response) => response.request().postData()?.includes('"check"'));
            const start = performance.now();
            await one.keyboard.type("\n");
            await answered;
            times.push(performance.now() - start);
        }
        times.sort((a, b) => a - b);
        steps.push(`  median from a key to its answer: ${Math.round(times[4])} ms`);
        await one.click("#reset");
        await one.waitForFunction(() => /^0 errors/.test(document.querySelector("#state").textContent));
    });

    await step("names are described, words completed", async () => {
        await one.click(".cm-content");
        await one.keyboard.press("Control+Home");
        const place = await one.evaluate(() => {
            const line = [...document.querySelectorAll(".cm-line")].find((line) => /^__Def\w+ \w+/.test(line.textContent));
            const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
            while (texts.nextNode()) {
                const at = texts.currentNode.data.search(/(?<= )[A-Z]\w*/);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(texts.currentNode, at);
                range.setEnd(texts.currentNode, at + 2);
                const { x, y, height } = range.getBoundingClientRect();
                return { x: x + 4, y: y + height / 2 };
            }
        });
        // An answer to the last change closes what is shown, and the pointer must move for it to be asked again;
        // up and down, for a step to the side may be a step to another character, which ends the request.
        const described = one.waitForSelector(".hover").then(() => true);
        for (let turn = 0; ; turn++) {
            await one.mouse.move(place.x, place.y + (turn % 2));
            if (await Promise.race([described, one.waitForTimeout(3000)])) break;
        }
        await one.screenshot({ path: join(shots, "hover.png") });
        await one.keyboard.press("Control+Home");
        await one.keyboard.type("__Def");
        await one.waitForSelector(".cm-tooltip-autocomplete");
        assert.match(await one.textContent(".cm-tooltip-autocomplete"), /__DefOpcode/);
        await one.keyboard.press("Escape");
        await one.click("#reset");
    });

    await step("two words are compared", async () => {
        await tab(one, "compare");
        await one.fill("#word-input", "IADD R0, R1, R2");
        await one.fill("#other-input", "IADD R0, R1, -R2");
        await one.waitForSelector("#differences");
        assert.match(await one.textContent("#differences"), /^1 bit differs/);
        assert.equal(await one.locator(".digits .differs").count(), 2);
        await one.screenshot({ path: join(shots, "compare.png") });
    });

    await step("the encoding space", async () => {
        await tab(one, "space");
        await one.waitForFunction(() => document.querySelector("#panel img")?.naturalWidth > 100);
        await one.screenshot({ path: join(shots, "space.png") });
    });

    await step("the manual is searched, and follows the text", async () => {
        await one.keyboard.press("Escape");
        await tab(one, "manual");
        await one.waitForSelector(".page h1");
        await one.fill("#search", "IMAD");
        await one.click(".hits a >> nth=0");
        await one.waitForFunction(() => /^IMAD/.test(document.querySelector(".page h1").textContent));
        await one.waitForFunction(() => [...document.querySelectorAll(".page img")].some((img) => img.naturalWidth > 100));
        await one.screenshot({ path: join(shots, "manual.png") });
        assert.equal(await one.evaluate(() => document.querySelectorAll(".page script").length), 0);
    });

    await step("a program of another set is assembled", async () => {
        await choose("riscv");
        await one.waitForFunction(() => /0 errors/.test(document.querySelector("#state").textContent) && !document.querySelector("#generations").hidden);
        await one.selectOption("#generation", "RV64");
        await tab(one, "program");
        await one.click(".source .cm-content");
        await one.keyboard.insertText("loop: addi a0, a0, -1\n  bnez a0, loop\n  ret\n");
        await one.waitForSelector("#size");
        assert.match(await one.textContent("#panel"), /7d 15|7d15|ff f5 05 13|13 05 f5 ff|7d 15/);
        await one.screenshot({ path: join(shots, "program.png") });
        await one.keyboard.insertText("  adi a0, a0, 1\n  .include \"/etc/passwd\"\n");
        await one.waitForSelector("#panel .out > .error >> nth=1");
        assert.match(await one.textContent("#panel .out"), /cannot be read here/);
        assert.match(await one.textContent("#panel .out"), /did you mean `add/);
    });

    let link;
    await step("a link holds what is shown", async () => {
        await one.click("#link");
        await one.waitForFunction(() => location.hash.length > 10);
        link = one.url();
        const two = await page({}, link);
        await two.waitForSelector("#panel.program .out > .error");
        assert.equal(await two.inputValue("#generation"), "RV64");
        await two.context().close();
    });

    await step("what is saved is shown", async () => {
        await choose("simt");
        await one.waitForFunction(() => /167 opcodes/.test(document.querySelector("#state").textContent));
        const path = join(folder, "simt/ialu.isa");
        const text = readFileSync(path, "utf8");
        writeFileSync(path, text.replace("__DefOptype IADD", "__DefOptyp IADD"));
        await one.waitForSelector("#findings .finding.error");
        writeFileSync(path, text);
        await one.waitForFunction(() => /^0 errors/.test(document.querySelector("#state").textContent));
    });

    await step("what was typed is kept", async () => {
        const own = await page();
        const shown = () => own.textContent("#text .cm-content");
        const edited = async () => /kept over reloads/.test(await shown());
        await own.selectOption("#set", { label: "simt" });
        await own.waitForFunction(() => /167 opcodes/.test(document.querySelector("#state").textContent));
        await own.click("#text .cm-content");
        await own.keyboard.press("Control+Home");
        await own.keyboard.insertText("// kept over reloads\n");
        await own.waitForFunction(() => !document.querySelector("#reset").disabled);
        await own.selectOption("#set", { label: "riscv" });
        await own.waitForFunction(() => document.querySelector("#reset").disabled);
        await own.selectOption("#set", { label: "simt" });
        await own.waitForFunction(() => !document.querySelector("#reset").disabled);
        assert.ok(await edited(), "after another set");
        let asked = 0;
        own.on("dialog", (dialog) => { asked += dialog.type() === "beforeunload"; dialog.accept(); });
        await own.reload();
        await own.waitForSelector("body[data-ready]");
        assert.equal(asked, 1, "leaving is warned of");
        await own.selectOption("#set", { label: "simt" });
        await own.waitForFunction(() => !document.querySelector("#reset").disabled);
        assert.ok(await edited(), "after a reload");
        // Another server of the same folder, or none, would find it too; what is taken back is gone.
        await own.click("#reset");
        await own.waitForFunction(() => document.querySelector("#reset").disabled);
        await own.reload();
        await own.waitForSelector("body[data-ready]");
        await own.selectOption("#set", { label: "simt" });
        await own.waitForFunction(() => /167 opcodes/.test(document.querySelector("#state").textContent));
        assert.ok(!await edited(), "after it was taken back");
        await own.context().close();
    });

    await step("keys", async () => {
        await one.click("h1");
        await one.keyboard.press("3");
        await one.waitForSelector("#panel.compare");
        await one.keyboard.press("/");
        await one.waitForSelector("#panel.manual");
        assert.equal(await one.evaluate(() => document.activeElement.id), "search");
        await one.focus("nav [aria-selected=true]");
        await one.keyboard.press("Home");
        await one.waitForSelector("#panel.word");
    });

    await step("dark, and on a phone", async () => {
        const dark = await page({ colorScheme: "dark" });
        await dark.selectOption("#set", { label: "simt" });
        await dark.fill("#word-input", "0x1c3e000000000000000201007500");
        await dark.waitForSelector(".picture");
        await dark.screenshot({ path: join(shots, "dark.png") });
        assert.notEqual(await dark.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
        const phone = await page({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
        await phone.selectOption("#set", { label: "simt" });
        await phone.fill("#word-input", "0x1c3e000000000000000201007500");
        await phone.waitForSelector(".picture");
        assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), "no sideways scrolling");
        await phone.screenshot({ path: join(shots, "phone.png"), fullPage: true });
    });

    assert.deepEqual(faults, [], "nothing went wrong in the page");
    assert.equal(before(), untouched, "nothing was written");
    console.log(steps.join("\n"));
    console.log("the page works");
} finally {
    await browser.close();
    server.kill();
    rmSync(folder, { recursive: true, force: true });
}
