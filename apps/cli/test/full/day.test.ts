import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { hasBubblewrap } from "../has-bubblewrap.ts";
import { until } from "../ikigai.ts";
import { startRegistry } from "../npm-registry.ts";
import { openFull } from "./open-full.ts";

/** What a model does in a day: each is a call in a step of its own. */
const day = () => [
  // Look around.
  bash("git status --short && git log --oneline | head"),
  call("glob", { pattern: "**/*.js" }),
  call("grep", { pattern: "add", glob: "**/*.js" }),
  call("file_read", { file_path: "src/add.js" }),
  bash("ls -la && cat package.json"),
  bash("node --version; uname -a; whoami; df -h . | tail -1"),
  // Find and fix a fault.
  bash("npm test 2>&1 | tail -20"),
  call("file_edit", { file_path: "src/add.js", old_string: "a - b", new_string: "a + b" }),
  bash("npm test"),
  bash("git diff"),
  // Write and move.
  call("file_write", { file_path: "src/times.js", content: "exports.times = (a, b) => a * b;\n" }),
  bash("mkdir -p lib docs && cp src/*.js lib/ && mv lib/times.js lib/product.js"),
  bash("sed -i 's/times/product/' lib/product.js && cat lib/product.js"),
  bash("printf '# Notes\\n' > docs/notes.md; echo more >> docs/notes.md"),
  bash("find . -name '*.js' -not -path './node_modules/*' | sort | xargs wc -l"),
  bash("grep -rn product lib | head"),
  bash("chmod +x src/add.js && ln -s add.js src/sum.js && ls -l src"),
  bash("python3 -c 'print(6 * 7)' || true"),
  bash("tar czf /tmp/lib.tgz lib && tar tzf /tmp/lib.tgz"),
  bash("cat /tmp/lib.tgz | wc -c"),
  // Install, build, serve.
  bash("npm install --registry http://registry.example.com --replace-registry-host=always little"),
  bash("node -p 'require(\"little\")'"),
  bash("npm ls; npm run --silent build"),
  call("bash", { command: "exec node server.js", background: true }),
  bash("for i in 1 2 3 4 5 6 7 8 9; do curl -sS http://127.0.0.1:4321/ && break; sleep 0.3; done"),
  bash("curl -sS http://127.0.0.1:4321/again"),
  bash("curl -sS http://docs.example.com/page"),
  bash("curl -sS http://docs.example.com/next"),
  // Clean up, with mistakes.
  bash("rm -rf dist lib"),
  bash("git checkout -- src/add.js 2>&1 || git show HEAD:src/add.js > src/add.js"),
  bash("env | sort | head -5; echo $HOME; ls ~ | head"),
  bash("cat ~/.ssh/id_rsa; true"),
  call("file_read", { file_path: "src/times.js" }),
  call("file_edit", { file_path: "src/add.js", old_string: "a - b", new_string: "a + b" }),
  call("grep", { pattern: "exports", path: "src" }),
  bash("npm test >/dev/null 2>&1; echo $?"),
  bash("git status --short; git diff --stat"),
  bash("git stash list; git branch -a; git show --stat HEAD"),
  bash("rm -rf src && ls"),
  bash("git add -A && git commit -qm 'Add product'"),
];

const call = (name: string, args: object) => ({ calls: [{ name, arguments: args }] });
const bash = (command: string) => call("bash", { command });

test.skipIf(!hasBubblewrap)("a day of 40 calls asks about two hosts and nothing else (needs bwrap)", async () => {
  const { url } = await startRegistry({ little: {} });
  const proxy = createServer(async (request, response) => {
    const { host, pathname } = new URL(request.url ?? "");
    const page = host === "registry.example.com" ? await fetch(`${url}${pathname}`) : new Response("a page\n");
    response.writeHead(page.status).end(Buffer.from(await page.arrayBuffer()));
  });
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void proxy.close());
  const calls = day();
  expect(calls).toHaveLength(40);
  const cwd = await project();
  const { terminal } = await openFull([...calls, { text: "The day is over." }], {
    cwd,
    startsInOwnMode: true,
    rows: 60,
    env: {
      HOME: await tempDir(),
      NO_PROXY: "127.0.0.1",
      HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    },
  });
  terminal.type("work\r");
  const asked: string[] = [];
  for (;;) {
    const screen = await terminal.waitFor(/The day is over\.|› y {2}once/);
    const [, title] = /\n {2}(\S.*?\?).*\n› y {2}once/.exec(screen) ?? [];
    if (title === undefined) break;
    asked.push(title);
    terminal.type(title.startsWith("Let") ? "s\r" : "y");
    await until(() => !terminal.screen().includes(title), "the next call");
  }
  expect(asked).toEqual(["Let bash reach registry.example.com?", "Let bash reach docs.example.com?"]);
  expect(execFileSync("git", ["log", "--format=%s"], { cwd, encoding: "utf8" })).toBe("Add product\nBegin\n");
});

/** A small package with a fault, in a repository. */
async function project(): Promise<string> {
  const manifest = {
    name: "day",
    version: "1.0.0",
    scripts: { test: "node --test test", build: "mkdir -p dist && cp src/*.js dist" },
  };
  const cwd = await tempDir({
    "package.json": JSON.stringify(manifest),
    ".gitignore": "node_modules\n",
    "src/add.js": "exports.add = (a, b) => a - b;\n",
    "test/add.test.js":
      'const { test } = require("node:test");\ntest("add", () => require("node:assert").equal(require("../src/add.js").add(1, 2), 3));\n',
    "server.js": 'require("node:http").createServer((_, r) => r.end("served\\n")).listen(4321, "127.0.0.1");\n',
  });
  const git = (...args: string[]) => execFileSync("git", args, { cwd, stdio: "ignore" });
  git("init", "--quiet", ".");
  git("config", "user.name", "A");
  git("config", "user.email", "a@example.com");
  git("add", "-A");
  git("commit", "--quiet", "-m", "Begin");
  return cwd;
}
