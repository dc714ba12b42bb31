// Promise 8 of SECURITY.md.
// @module-tag tables
import { mkdirSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { askingHome } from "./asking-home.ts";
import { evil as all } from "./evil-texts.ts";
import { startModel } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";

/** The only sequences that ikigai itself may send in line mode: colors. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
const ours = /\u001b\[[0-9]{1,2}m/g;

/** Any other control character, with the text after it. */
const unsafe = /(?![\n\r\t])(?:\p{Cc}|\p{Bidi_Control}|\u200b|\ufeff|[\u{e0000}-\u{e007f}]).{0,20}/gu;

function expectOnlyOurs(raw: string): void {
  expect(raw.replace(ours, "").match(unsafe)).toBeNull();
}

test("no text of a tool, a model or a file name drives the terminal", async () => {
  const schema = { name: "evil", description: all, parameters: { type: "object", properties: { [all]: {} } } };
  const home = await tempDir({
    ".ikigai/tools/evil-tool": `#!/bin/sh\nif [ "$1" = --schema ]; then cat <<'E'\n${JSON.stringify(schema)}\nE\nexit; fi\ncat >/dev/null; cat >&3 <<'E'\n${JSON.stringify({ progress: 1, total: 2, message: all })}\nE\nsleep 0.3; cat <<'E'\n${all}\nE\n`,
    ".ikigai/tools/loud-tool": `#!/bin/sh\ncat <<'E' >&2\n${all}\nE\ncat <<'E'\n${all}\nE\nexit 1\n`,
    [`.ikigai/tools/${"\u001b]0;x\u0007"}-tool`]: "#!/bin/sh\nexit 1\n",
    ".ikigai/config.json": JSON.stringify({ [all]: 1 }),
  });
  const cwd = join(await tempDir(), `dir \u001b]0;x\u0007 \u202e`);
  mkdirSync(cwd);
  const args = { [all]: all, command: all };
  const model = await startModel([
    {
      text: all,
      calls: [
        { name: "evil", arguments: args },
        { name: all, arguments: args },
      ],
    },
    { text: "so", calls: [{ name: "bash", arguments: { command: `printf '%s' '${all}'` } }] },
    { calls: [{ name: "file_write", arguments: { file_path: `a${all}`, content: all } }] },
    { text: all },
  ]);
  const terminal = await openTerminal(["--model", "openai-compatible/m", "--permission-mode", "ask"], {
    cwd,
    env: { ...model.env, HOME: home },
    rows: 60,
  });
  await terminal.waitForPrompt();
  for (const line of ["/tool", "/tool evil", "/refresh"]) {
    terminal.type(`${line}\r`);
    await terminal.waitForPrompt();
  }
  terminal.type("go\r");
  for (let question = 0; question < 3; question++) {
    await terminal.waitFor(new RegExp(`(Run it\\?.*){${question + 1}}`, "s"));
    terminal.type("y\r");
  }
  await terminal.waitFor(/␛c(.*␛c){9}/s);
  const typed = `!cat nothing${"\u009b"}2J`;
  terminal.type(`${typed}\r`);
  await terminal.waitForPrompt();
  terminal.type("/quit\r");
  expect(await terminal.exitCode).toBe(0);
  // The terminal itself echoes the typed text.
  expectOnlyOurs(terminal.raw().replace(typed, ""));
  expect(terminal.raw()).toContain("␛]52;c;ZXZpbA==␇");
});

test("an escape sequence split across the model's stream is not reassembled", async () => {
  const model = await startModel([1, 2, 3].map((pieceLength) => ({ text: all, pieceLength })));
  const terminal = await openTerminal(["--model", "openai-compatible/m"], { env: model.env });
  await terminal.waitForPrompt();
  for (const line of ["one", "two", "three", "/quit"]) {
    terminal.type(`${line}\r`);
    if (line !== "/quit") await terminal.waitForPrompt();
  }
  expect(await terminal.exitCode).toBe(0);
  expect(model.requests).toHaveLength(3);
  expectOnlyOurs(terminal.raw());
});

test.each<[Record<string, string>]>([[{ TERM: "dumb" }], [{ NO_COLOR: "1" }], [{ LANG: "C" }]])(
  "with %j ikigai sends no escape sequence, and questions still work",
  async (env) => {
    const model = await startModel([{ text: "So.", calls: [{ name: "bash", arguments: { command: "echo one" } }] }]);
    const terminal = await openTerminal(["--model", "openai-compatible/m"], {
      env: { HOME: await askingHome(), ...model.env, ...env },
    });
    await terminal.waitForPrompt();
    terminal.type("go\r");
    await terminal.waitFor("Run it?");
    terminal.type("y\r");
    await terminal.waitFor("Done.");
    await terminal.waitForPrompt();
    terminal.type("one\\\r");
    await terminal.waitFor(/\n[·.]$/);
    terminal.type("two\r");
    await terminal.waitFor(/Done\..*Done\./s);
    await terminal.waitForPrompt();
    terminal.type("thrown away\u0003");
    await terminal.waitFor(/Ctrl-C again, or Ctrl-D, to quit\n[›>]$/);
    terminal.type("\u0003");
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.raw()).not.toContain("\u001b");
    if (env.LANG === "C") expect(terminal.raw()).toMatch(/^[\n\r\t -~]*$/);
    expect(model.requests.at(-1)?.messages.at(-1)?.content).toBe("one\ntwo");
  },
);

test("print mode sanitises an answer on a terminal only", async () => {
  const model = await startModel([{ text: all }]);
  const terminal = await openTerminal(["-p", "go", "--model", "openai-compatible/m"], { env: model.env });
  expect(await terminal.exitCode).toBe(0);
  expectOnlyOurs(terminal.raw());
});

test("no error text of a server drives the terminal", async () => {
  const said = [
    (response: ServerResponse) => response.writeHead(400).end(JSON.stringify({ error: { message: all } })),
    (response: ServerResponse) => response.writeHead(302, { location: "http://x/%1b]0;x" }).end(),
    (response: ServerResponse) => response.writeHead(200, { "content-type": "text/html" }).end(`<h1>${all}`),
    (response: ServerResponse) =>
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(`data: ${JSON.stringify({ error: { message: all, type: all, code: all } })}\n\n`),
  ];
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      if (request.method !== "POST") response.writeHead(404).end(all);
      else (said[requests++] ?? said[0])?.(response);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const home = await tempDir({ ".ikigai/config.json": JSON.stringify({ patience: { maxRetries: 0 } }) });
  const env = { HOME: home, OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1` };
  const terminal = await openTerminal(["--model", "openai-compatible/m"], { env });
  await terminal.waitForPrompt();
  for (let n = 1; n <= said.length; n++) {
    terminal.type(`go ${n}\r`);
    await expect.poll(() => requests).toBe(n);
    await terminal.waitForPrompt();
  }
  terminal.type("/quit\r");
  expect(await terminal.exitCode).toBe(0);
  expectOnlyOurs(terminal.raw());
  expect(terminal.raw()).toContain("␛]52;c;ZXZpbA==␇");
});
