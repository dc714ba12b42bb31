import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "@ikigai/testing";
import { onTestFinished } from "vitest";
import type { Script, Step } from "../model-server.ts";
import type { Terminal, TerminalOptions } from "../terminal.ts";
import { keys, openFull } from "./open-full.ts";

/** One screen of docs/screens.md. */
export interface Scene {
  readonly title: string;
  /** What a reader learns from it: Markdown. */
  readonly about: string;
  /** What the model answers. */
  readonly steps?: Script;
  readonly files?: Readonly<Record<string, string>>;
  /** Files in the user's directory. */
  readonly own?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Brings the screen about, up to what is shown. */
  act(terminal: Terminal): Promise<unknown>;
  /** Returns something else than the screen. */
  readonly shown?: (terminal: Terminal) => string;
}

const call = (name: string, args: object): Step => ({ calls: [{ name, arguments: args }] });
const bash = (command: string) => ({ name: "bash", arguments: { command } });

const sum = `export function sum(numbers) {
  let all = 1;
  for (const one of numbers) all += one;
  return all;
}
`;

async function ask(terminal: Terminal, message: string, until: string | RegExp) {
  terminal.type(`${message}\r`);
  await terminal.waitFor(until);
}

/** The prompt is back: nothing runs. */
const ready = /\n›\n─/;

/** A server that says once that it is too busy. */
async function busyServer(): Promise<string> {
  const error = JSON.stringify({
    error: { message: "Rate limit reached: 50,000 tokens a minute", type: "rate_limit" },
  });
  const server = createServer((request, response) => {
    const code = request.method === "POST" ? 429 : 404;
    response.writeHead(code, { "retry-after": "60", "content-type": "application/json" }).end(error);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

export const scenes: readonly Scene[] = [
  {
    title: "A command that was stopped",
    about: "Esc stops a call. What it had printed is shown as lines, and the model gets the same lines.",
    steps: [{ calls: [bash("seq 1 2000; sleep 60")] }],
    args: ["--allow", "bash"],
    async act(terminal) {
      await ask(terminal, "count", /1999\s+2000/);
      terminal.type(keys.escape);
      await terminal.waitFor("Interrupted");
      await terminal.waitFor(ready);
    },
  },
  {
    title: "Calls that only look",
    about: "A line for each; more than two in a row share one. Ctrl-O shows what they found.",
    steps: [
      {
        text: "I look at the code.",
        calls: [
          { name: "glob", arguments: { pattern: "**/*.js" } },
          { name: "grep", arguments: { pattern: "sum", glob: "**/*.js" } },
          { name: "file_read", arguments: { file_path: "src/sum.js" } },
        ],
      },
      { text: "The sum starts at 1." },
    ],
    files: { "src/sum.js": sum, "src/sum.test.js": 'import { sum } from "./sum.js";\n' },
    act: (terminal) => ask(terminal, "why is the sum wrong?", "The sum starts at 1."),
  },
  {
    title: "A change to a file",
    about:
      "Lines with their numbers, in the colors of the language, on a ground of red and green, and the changed words marked.",
    steps: [
      call("file_edit", { file_path: "src/sum.js", old_string: "all = 1", new_string: "all = 0" }),
      { text: "It starts at 0 now." },
    ],
    files: { "src/sum.js": sum },
    args: ["--permission-mode", "edits"],
    act: (terminal) => ask(terminal, "fix it", "It starts at 0 now."),
  },
  {
    title: "A question",
    about:
      "The arrows, a letter, or `yes`, `no` and `no, REASON` with Enter answer, Tab widens the rule where the screen says so, `t` changes the command. The calls of the same step wait behind it. A question that appears while you type waits until Tab goes to it.",
    steps: [{ calls: [bash("rm -rf build && npm run build"), bash("npm test"), bash("git status")] }],
    act: (terminal) => ask(terminal, "build and test", /Run bash\?[\s\S]*no, and say why/),
  },
  {
    title: "Your words and the answers",
    about: "Your messages are set off from answers, and answers from output, also without colors.",
    steps: [
      { text: "I run the tests first.", calls: [bash("echo '12 passed'")] },
      {
        text: "### Result\n\n- **12** tests pass\n- `sum` starts at 0\n\n| file | lines |\n| :-- | --: |\n| sum.js | 5 |",
      },
    ],
    args: ["--allow", "bash"],
    act: (terminal) => ask(terminal, "do the tests pass?", "sum.js"),
  },
  {
    title: "Commands of your own",
    about:
      "`!` runs a command without a time limit; `!git add -p` and `!vim` get your terminal. `!!` gives any command the terminal and keeps it from the model.",
    act: (terminal) =>
      ask(terminal, "!printf 'On branch main\\nnothing to commit\\n'", /nothing to commit\n[\s\S]*\n›\n─/),
  },
  {
    title: "Waiting for a provider",
    about: "One line counts down, and is gone when the answer comes.",
    act: (terminal) => ask(terminal, "hello", /retrying in 5\d s/),
  },
  {
    title: "Keys",
    about: "`?` on an empty line. The next key closes it.",
    async act(terminal) {
      terminal.type("?");
      await terminal.waitFor("run a command");
    },
  },
  {
    title: "All calls in full",
    about: "Ctrl-O: calls, their whole answers and the model's thoughts. It follows running calls.",
    steps: [{ reasoning: "First the tests.", calls: [bash("seq 1 5; echo done")] }, { text: "They pass." }],
    args: ["--allow", "bash"],
    async act(terminal) {
      await ask(terminal, "run the tests", "They pass.");
      terminal.type(keys.ctrlO);
      await terminal.waitFor(/q closes/);
    },
  },
  {
    title: "The end of a turn",
    about:
      "How long it took, what was called and changed, and what it cost. The footer has what counts for the next message.",
    steps: [
      call("file_edit", { file_path: "src/sum.js", old_string: "all = 1", new_string: "all = 0" }),
      { calls: [bash("sleep 4; echo '12 passed'")] },
      { text: "Done." },
    ],
    files: { "src/sum.js": sum },
    args: ["--allow", "bash", "--permission-mode", "edits"],
    async act(terminal) {
      await ask(terminal, "fix it and test", "Done.");
      await terminal.waitFor(ready);
    },
  },
  {
    title: "Background jobs",
    about:
      "The footer counts what runs, and a line says when a job ends. Here it does not wake the model (`jobs.wake`).",
    own: { "config.json": '{ "jobs": { "wake": false } }' },
    steps: [
      call("bash", { command: "sleep 300", background: true }),
      call("bash", { command: "sleep 1", background: true }),
      { text: "Both run." },
    ],
    args: ["--allow", "bash"],
    async act(terminal) {
      await ask(terminal, "start both", "Both run.");
      await terminal.waitFor(/job ended: sleep 1/);
    },
  },
  {
    title: "Notifications",
    about:
      "When a turn ends or a question opens, only if you look elsewhere. With `screen.notify` set to `osc9`, the terminal gets:",
    own: { "config.json": '{ "screen": { "notify": "osc9", "title": false } }' },
    steps: [{ text: "Away." }],
    async act(terminal) {
      terminal.type("\u001b[O");
      await ask(terminal, "go", /Away\.[\s\S]*›\n─/);
      await sleep(300);
    },
    shown: (terminal) => {
      const [text] = terminal.raw().split("\u001b]9;ikigai").at(-1)?.split("\u0007") ?? [];
      return `ESC ] 9 ; ikigai${text} BEL`;
    },
  },
  {
    title: "A line of your own",
    about:
      "`screen.status` is a command whose first line is shown; `keys.json` and themes are in `/help config` and `/help keys`.",
    own: { "config.json": '{ "screen": { "status": "echo deploy: green" } }' },
    async act(terminal) {
      await terminal.waitFor("deploy: green");
    },
  },
  {
    title: "Copying",
    about: "`/copy` offers what there is. It goes through the terminal (OSC 52), so that it works over ssh too.",
    steps: [{ calls: [bash("echo '12 passed'")] }, { text: "So:\n\n```bash\ncd src\nls\n```\n" }],
    args: ["--allow", "bash"],
    async act(terminal) {
      await ask(terminal, "how?", /ls\n/);
      terminal.type("/copy \r");
      await terminal.waitFor("last command");
    },
  },
  {
    title: "The list of tasks",
    about: "The model keeps it with the tool `todo`, and it stays above the input while a task is open.",
    steps: [
      call("todo", {
        items: [
          { text: "Read the code", status: "done" },
          { text: "Rename sum", status: "doing" },
          { text: "Test it", status: "open" },
        ],
      }),
      { text: "I have read it." },
    ],
    act: (terminal) => ask(terminal, "rename sum to total, and test it", "I have read it."),
  },
];

/** Plays a scene for the page; returns what it shows, without what changes from run to run. */
export async function play(scene: Scene): Promise<string> {
  const { terminal, home } = await perform(scene, { columns: 80, rows: 24 });
  const text = scene.shown?.(terminal) ?? terminal.screen();
  terminal.kill("SIGKILL");
  await terminal.exitCode;
  return steadily(text.replaceAll(home, "~"));
}

/**
 * Plays a scene in a terminal of this size.
 *
 * @param within the program that is started with the command as its arguments
 */
export async function perform(
  scene: Scene,
  { env, ...size }: Pick<TerminalOptions, "columns" | "rows" | "env">,
  within: readonly string[] = [],
) {
  const home = await tempDir();
  const cwd = join(home, "shop");
  const own = { "config.json": '{ "permission": { "readOnlyCommands": false } }', ...scene.own };
  write(join(home, ".ikigai"), own);
  write(cwd, { ".git/HEAD": "ref: refs/heads/main\n", ...scene.files });
  const busy = scene.title === "Waiting for a provider" ? { OPENAI_COMPATIBLE_BASE_URL: await busyServer() } : {};
  const { terminal } = await openFull(scene.steps ?? [], {
    ...{ cwd, ...size },
    args: scene.args ?? [],
    env: { HOME: home, ...busy, ...env },
    ...(within.length > 0 && { within }),
  });
  await scene.act(terminal);
  return { terminal, home };
}

function write(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
}

/** Without durations, times, frames of the spinner and the version; what is at the right end keeps its place. */
function steadily(text: string): string {
  const lines = text
    .replace(/^ikigai \d+\.\d+\.\d+ +/, "ikigai   ")
    .replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "⠋")
    .replace(/\b\d\d:\d\d\b/g, "12:00")
    .replace(/\b\d+(?:\.\d+)? (?:ms|s)\b/g, "1 s")
    .split("\n");
  return lines
    .map((line) => line.replace(/(\S) {4,}(\S.*\b1 s)$/, (_, before, end) => `${before}   ${end}`))
    .join("\n");
}
