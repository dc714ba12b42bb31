// Promise 7 of SECURITY.md.
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { hereDirectory } from "@ikigai/system";
import type { TreeEntry } from "@ikigai/testing";
import { expect, test } from "vitest";
import type { CallOptions } from "../src/call/options.ts";
import { callTool, type SandboxSettings, trust } from "../src/index.ts";
import { hasBubblewrap } from "./sandbox-stage.ts";
import { circumstances, schema, tool, world } from "./world.ts";

/** Prints its data directory, and runs the shell script of the call there. */
const body = `cat > /dev/null
out=$(sh -c "$SCRIPT" 2>&1)
printf '{"dir":"%s","output":"%s"}' "$IKIGAI_DATA_DIR" "$(printf %s "$out" | base64 -w0)"`;

const keeper = (name: string, more: object = {}) => tool(schema(name, more), body);

async function stage(files: Readonly<Record<string, TreeEntry>> = {}) {
  const place = await world({ "person/": "", "home/tools/keep-tool": keeper("keep"), ...files });
  const { root, home, projectDir } = place;
  const sandbox: SandboxSettings = {
    ...{ home, userHome: join(root, "person"), network: false, writable: [], readable: [], hidden: [] },
    env: ["SCRIPT"],
  };
  const call = async (name: string, script = ":", options: Partial<CallOptions> = {}) => {
    const env = { ...process.env, SCRIPT: script };
    const own = await circumstances({ cwd: projectDir, projectDir, home, env, ...options });
    const { envelope } = await callTool(await place.discover(), name, "{}", own);
    if (!envelope.tool_success) return { dir: "", output: "", error: envelope.error };
    const { dir, output } = envelope.result;
    return { dir: String(dir), output: Buffer.from(String(output), "base64").toString() };
  };
  return { ...place, sandbox, call };
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("gives a tool a private directory that keeps its files", async () => {
  const { home, call } = await stage();
  expect(existsSync(join(home, "data"))).toBe(false);
  const { dir } = await call("keep", 'echo token > "$IKIGAI_DATA_DIR/token"');
  expect(dir).toBe(join(home, "data", "keep"));
  expect([modeOf(dir), modeOf(dirname(dir))]).toEqual([0o700, 0o700]);
  expect(await call("keep", 'cat "$IKIGAI_DATA_DIR/token"')).toEqual({ dir, output: "token" });
});

test("gives no directory to a tool that ships with ikigai, to --schema, and to any tool of a host without a home", async () => {
  const asked = `echo "$IKIGAI_DATA_DIR" > "$(dirname "$0")/asked"`;
  const { home, call } = await stage({
    "system/ship-tool": keeper("ship"),
    "home/tools/ask-tool": tool(schema("ask"), body).replace("then ", `then ${asked}; `),
  });
  const env = { ...process.env, SCRIPT: ":", IKIGAI_DATA_DIR: "/outer" };
  expect(await call("ship", ":", { env })).toEqual({ dir: "", output: "" });
  expect(await call("keep", ":", { env, home: undefined })).toEqual({ dir: "", output: "" });
  expect(readFileSync(join(home, "tools/asked"), "utf8")).toBe("\n");
  expect(existsSync(join(home, "data"))).toBe(false);
});

test("names the directory after the package, else the service, else the tool", async () => {
  const { home, call } = await stage({
    "home/packages/plain/0123456789ab/one-tool": keeper("one", { ikigai: { service: "s" } }),
    "home/packages/@me/scoped/0123456789ab/dist/two-tool": keeper("two"),
    "home/tools/one-tool": { link: "../packages/plain/0123456789ab/one-tool" },
    "home/tools/two-tool": { link: "../packages/@me/scoped/0123456789ab/dist/two-tool" },
    "home/tools/three-tool": keeper("three", { ikigai: { service: "s" } }),
    "home/tools/four-tool": keeper("four", { ikigai: { service: "s" } }),
  });
  const nameFor = async (name: string) => relative(join(home, "data"), (await call(name)).dir);
  expect(await nameFor("one")).toBe("plain");
  expect(await nameFor("two")).toBe("@me+scoped");
  expect([await nameFor("three"), await nameFor("four")]).toEqual(["service-s", "service-s"]);
});

test("the data of a package for one directory is in its place there, in the sandbox too", async () => {
  const { home, projectDir, sandbox, call } = await stage();
  const place = hereDirectory({ home, projectDir });
  const folder = join(place, "packages/mcp-one/0123456789ab");
  for (const path of [folder, join(place, "tools")]) mkdirSync(path, { recursive: true });
  writeFileSync(join(folder, "one-tool"), keeper("one"), { mode: 0o755 });
  writeFileSync(join(folder, "beside"), "beside\n");
  symlinkSync("../packages/mcp-one/0123456789ab/one-tool", join(place, "tools/one-tool"));
  const dir = join(place, "data/mcp-one");
  expect(await call("one", 'echo mine > "$IKIGAI_DATA_DIR/token"')).toEqual({ dir, output: "" });
  expect([modeOf(dir), modeOf(dirname(dir))]).toEqual([0o700, 0o700]);
  if (!hasBubblewrap) return;
  const script = `cat "$IKIGAI_DATA_DIR/token" "${folder}/beside"; ls -A ${home}`;
  expect((await call("one", script, { sandbox })).output).toBe("mine\nbeside\nprojects\ntools");
});

test("a project's tool does not share the directory of the user's tool of the same name", async () => {
  const { home, projectDir, call } = await stage({ "project/.ikigai/tools/keep-tool": keeper("keep") });
  const { dir: own } = await call("keep");
  await trust({ home, projectDir });
  const { dir } = await call("keep");
  expect(dir).toMatch(/\/home\/data\/project-[0-9a-f]{12}-keep$/);
  expect(dir).not.toBe(own);
  expect(modeOf(dir)).toBe(0o700);
});

test.each<[string, (dir: string) => void, RegExp]>([
  ["a symlink", (dir) => symlinkSync("/tmp", dir), /keep is a symbolic link; replace it with a directory$/],
  ["a file", (dir) => writeFileSync(dir, ""), /keep is not a directory; remove it$/],
])("runs nothing with %s in the directory's place", async (_, place, message) => {
  const { home, projectDir, call } = await stage();
  mkdirSync(join(home, "data"));
  place(join(home, "data/keep"));
  const { error } = await call("keep", "touch ran");
  expect(error).toMatch(message);
  expect(existsSync(join(projectDir, "ran"))).toBe(false);
});

test("runs nothing if the directory above is a symlink", async () => {
  const { root, home, call } = await stage({ "elsewhere/": "" });
  symlinkSync(join(root, "elsewhere"), join(home, "data"));
  expect((await call("keep")).error).toMatch(/home\/data is a symbolic link/);
});

test.skipIf(process.geteuid?.() !== 0)("runs nothing if the directory belongs to another user", async () => {
  const { home, call } = await stage();
  mkdirSync(join(home, "data/keep"), { recursive: true });
  chownSync(join(home, "data/keep"), 12_345, 12_345);
  expect((await call("keep")).error).toMatch(/keep belongs to another user$/);
});

test("makes the directory private again, and does without one that cannot be created", async () => {
  const { root, home, call } = await stage({ file: "" });
  const { dir } = await call("keep");
  chmodSync(dir, 0o755);
  await call("keep");
  expect(modeOf(dir)).toBe(0o700);
  expect(await call("keep", ":", { home: join(root, "file/home") })).toEqual({ dir: "", output: "" });
  expect(existsSync(join(home, "data/keep"))).toBe(true);
});

test.skipIf(!hasBubblewrap)("in the sandbox a tool sees and changes its own directory and no other", async () => {
  const { home, sandbox, call } = await stage({ "home/tools/other-tool": keeper("other"), "home/config.json": "{}" });
  const { dir } = await call("keep", 'echo mine > "$IKIGAI_DATA_DIR/token"', { sandbox });
  expect(readFileSync(join(dir, "token"), "utf8")).toBe("mine\n");
  expect(await call("keep", 'cat "$IKIGAI_DATA_DIR/token"', { sandbox })).toEqual({ dir, output: "mine" });
  const look = `ls ${home}/data; ls -A ${home}; cat ${dir}/token; touch ${home}/data/x; mkdir ${home}/data/y`;
  const { output } = await call("other", look, { sandbox });
  expect(output.split("\n").slice(0, 3)).toEqual(["other", "data", "tools"]);
  expect(output.match(/No such file|Read-only file system/g)).toHaveLength(3);
  const { output: kept } = await call(
    "keep",
    `rm -rf ${dir}; mv ${dir} ${home}/z; ln -s /etc ${dir}; ls ${home}/data`,
    { sandbox },
  );
  expect(kept).toContain("keep");
  expect(statSync(dir).isDirectory()).toBe(true);
});
