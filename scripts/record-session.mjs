// Records a session with a scripted model in a real terminal, and draws it as docs/session.svg, an animation. Run it when the
// screen has changed.
//   npm run build && node scripts/record-session.mjs
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { drawFrames } from "./draw-frames.mjs";

const root = new URL("..", import.meta.url).pathname;
const require = createRequire(join(root, "apps/cli/package.json"));
const { spawn } = require("@lydell/node-pty");
const { Terminal } = require("@xterm/headless");

const size = { cols: 92, rows: 30 };

const plan = `The test fails because \`sum\` starts at **1**. I will

1. fix \`sum.js\`
2. run the test again
`;

const done = `Done: \`sum\` starts at 0 now, and the test passes.

\`\`\`js
export const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
\`\`\`
`;

/** The answers of the scripted model, one per request. */
const steps = [
  {
    calls: [
      call("bash", { command: "node --test 2>&1 | grep -E 'not ok|expected|actual'" }),
      call("file_read", { file_path: "sum.js" }),
    ],
  },
  { text: plan, calls: [call("file_edit", { file_path: "sum.js", old_string: "+ one, 1)", new_string: "+ one, 0)" })] },
  { calls: [call("bash", { command: "node --test 2>&1 | grep -E '^# (pass|fail)'" })] },
  { text: done },
];

const server = createServer((request, response) => {
  if (request.method !== "POST") return response.writeHead(404).end();
  request.resume().on("end", () => answer(response, steps.shift() ?? { text: "Done." }));
});
await new Promise((settle) => server.listen(0, "127.0.0.1", settle));

const home = mkdtempSync(join(tmpdir(), "ikigai-recording-"));
const project = join(home, "code/shop");
mkdirSync(join(project, ".git"), { recursive: true });
writeFileSync(join(project, ".git/HEAD"), "ref: refs/heads/main\n");
writeFileSync(join(project, "package.json"), '{ "type": "module" }\n');
writeFileSync(join(project, "sum.js"), "export const sum = (numbers) => numbers.reduce((all, one) => all + one, 1);\n");
writeFileSync(
  join(project, "sum.test.js"),
  'import { equal } from "node:assert";\nimport { test } from "node:test";\nimport { sum } from "./sum.js";\ntest("sum", () => equal(sum([1, 2]), 3));\n',
);

const frames = await record();
server.close();
rmSync(home, { recursive: true });
mkdirSync(join(root, "docs"), { recursive: true });
writeFileSync(join(root, "docs/session.svg"), drawFrames(frames, size));
console.log(`docs/session.svg: ${frames.length} frames`);

/** Types what a user would type, and returns the screens worth showing. */
async function record() {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TERM: "xterm-256color",
    OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${server.address().port}`,
  };
  const args = [join(root, "apps/cli/dist/ikigai.js"), "--model", "openai-compatible/demo", "--allow", "bash"];
  const pty = spawn(process.execPath, args, { ...size, cwd: project, env });
  const terminal = new Terminal({ ...size, scrollback: 1_000, allowProposedApi: true });
  pty.onData((data) => terminal.write(data));
  const shown = [];
  const text = () =>
    rowsOf(terminal)
      .map((row) => row.translateToString(true))
      .join("\n");
  const until = async (isThere) => {
    for (let waited = 0; !isThere.test(text()); waited += 20) {
      if (waited > 20_000) throw new Error(`Waited for ${isThere} on this screen:\n${text()}`);
      await sleep(20);
    }
  };
  const keep = (seconds) => shown.push({ rows: rowsOf(terminal).map((row) => cellsOf(row)), seconds });
  await until(/demo/);
  pty.write("\u001b]11;rgb:1616/1b1b/2222\u0007");
  await sleep(200);
  keep(1);
  for (const part of ["why does", " the test", " fail? fix it"]) {
    pty.write(part);
    await sleep(150);
    keep(0.4);
  }
  pty.write("\r");
  await until(/thinking/);
  keep(0.6);
  await until(/Run file_edit\?/);
  keep(3);
  pty.write("y");
  await until(/passes/);
  keep(0.8);
  await until(/worked/);
  await sleep(500);
  keep(5);
  pty.kill();
  return shown;
}

function rowsOf({ buffer }) {
  const { active } = buffer;
  return Array.from({ length: size.rows }, (_, row) => active.getLine(active.viewportY + row));
}

/** Splits a row into runs of cells with the same style. */
function cellsOf(row) {
  const runs = [];
  for (let column = 0; column < size.cols; column++) {
    const cell = row.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const look = {
      color: cell.isFgPalette() ? cell.getFgColor() : undefined,
      ground: cell.isBgPalette() ? cell.getBgColor() : undefined,
      isBold: cell.isBold() !== 0,
      isDim: cell.isDim() !== 0,
      isItalic: cell.isItalic() !== 0,
    };
    const last = runs.at(-1);
    const key = JSON.stringify(look);
    if (last?.key === key) last.text += cell.getChars() || " ";
    else runs.push({ key, look, column, text: cell.getChars() || " " });
  }
  return runs;
}

function call(name, args) {
  return { name, args };
}

async function answer(response, { text = "", calls = [] }) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (value) => response.write(`data: ${JSON.stringify(value)}\n\n`);
  const chunk = (delta, finish = null) =>
    send({
      id: "1",
      object: "chat.completion.chunk",
      created: 1,
      model: "demo",
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  await sleep(600);
  for (const content of text.match(/[\s\S]{1,12}/g) ?? []) {
    chunk({ role: "assistant", content });
    await sleep(30);
  }
  for (const [index, { name, args }] of calls.entries()) {
    const id = `call_${steps.length}_${index}`;
    chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: JSON.stringify(args) } }] });
  }
  chunk({}, calls.length > 0 ? "tool_calls" : "stop");
  const usage = { prompt_tokens: 2_400, completion_tokens: 120, total_tokens: 2_520 };
  send({ id: "1", object: "chat.completion.chunk", created: 1, model: "demo", choices: [], usage });
  response.end("data: [DONE]\n\n");
}
