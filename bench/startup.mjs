// How long the command takes to start: the version, the help, and the prompt on a terminal.
import { createRequire } from "node:module";
import { join } from "node:path";
import { ikigai, ms, nodeItself, ratio, report, root, run, scratch, table, takeTurns } from "./measure.mjs";

const { spawn } = createRequire(join(root, "apps/cli/package.json"))("@lydell/node-pty");
const home = scratch();
const env = {
  ...process.env,
  HOME: home,
  IKIGAI_HOME: join(home, ".ikigai"),
  TERM: "xterm-256color",
};
for (const name of Object.keys(env)) if (/^(ANTHROPIC|OPENAI|GEMINI|GOOGLE)_/.test(name)) delete env[name];

const times = await takeTurns(
  {
    "node -e 0": nodeItself,
    "`ikigai --version`": () => run(process.execPath, [ikigai, "--version"], { env }),
    "`ikigai --help`": () => run(process.execPath, [ikigai, "--help"], { env }),
    "the prompt": () => prompt([]),
    "the prompt, `--plain`": () => prompt(["--plain"]),
  },
  20,
);
const base = times["node -e 0"].p50;
report({
  title: "From the shell to the screen",
  text: table(
    ["", "p50 ms", "p95 ms", "against `node -e 0`"],
    Object.entries(times).map(([name, { p50, p95 }]) => [name, ms(p50), ms(p95), ratio(p50, base)]),
  ),
  figures: {
    "version ratio": times["`ikigai --version`"].p50 / base,
    "help ratio": times["`ikigai --help`"].p50 / base,
    "prompt ratio": times["the prompt"].p50 / base,
  },
});

/** Measures the time until a typed key would appear: the cursor is after the prompt. */
function prompt(args) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const pty = spawn(process.execPath, [ikigai, "--model", "offline", ...args], {
      cols: 100,
      rows: 40,
      cwd: home,
      env,
    });
    let printed = "";
    const timer = setTimeout(() => reject(new Error(`No prompt: ${JSON.stringify(printed)}`)), 20_000);
    let shown;
    pty.onData((data) => {
      printed += data;
      if (shown !== undefined || !/›|(^|\n)> $/.test(printed)) return;
      shown = performance.now() - start;
      clearTimeout(timer);
      pty.kill("SIGKILL");
    });
    pty.onExit(() => (shown === undefined ? reject(new Error(`It ended: ${printed}`)) : resolve(shown)));
  });
}
