import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { CallOptions } from "../src/call/options.ts";
import { callTool, type SandboxSettings, trust } from "../src/index.ts";
import { hasBubblewrap } from "./sandbox-stage.ts";
import { circumstances, schema, tool, world } from "./world.ts";

const body = `cat > /dev/null
[ -n "$IKIGAI_STATE_DIR" ] && echo x >> "$IKIGAI_STATE_DIR/list" 2>/dev/null
printf '{"dir":"%s"}' "$IKIGAI_STATE_DIR"`;
const keeper = (name: string, more: object = { ikigai: { state: true } }) => tool(schema(name, more), body);

async function stage() {
  const place = await world({
    "person/": "",
    "home/sessions/": "",
    "system/keep-tool": keeper("keep"),
    "system/plain-tool": keeper("plain", {}),
    "system/living-tool": keeper("living", { ikigai: { state: true, service: "living" } }),
    "project/.ikigai/tools/own-tool": keeper("own"),
  });
  const { root, home, projectDir } = place;
  await trust({ home, projectDir });
  const stateDir = join(home, "sessions/one.state");
  const sandbox: SandboxSettings = {
    ...{ home, userHome: join(root, "person"), network: false, writable: [], readable: [], hidden: [] },
  };
  const call = async (name: string, options: Partial<CallOptions> = {}) => {
    const own = await circumstances({ cwd: projectDir, projectDir, home, stateDir, ...options });
    const { envelope } = await callTool(await place.discover(), name, "{}", own);
    return envelope.tool_success ? envelope.result.dir : envelope.error;
  };
  return { ...place, stateDir, sandbox, call };
}

test("gives a tool that declares it the session's private directory", async () => {
  const { call, stateDir } = await stage();
  expect(existsSync(stateDir)).toBe(false);
  expect([await call("keep"), await call("keep")]).toEqual([stateDir, stateDir]);
  expect(readFileSync(join(stateDir, "list"), "utf8")).toBe("x\nx\n");
  expect(statSync(stateDir).mode & 0o777).toBe(0o700);
});

test.each(["plain", "living", "own"])("gives none to the tool %s", async (name) => {
  const { call, stateDir } = await stage();
  expect(await call(name)).toBe("");
  expect(existsSync(stateDir)).toBe(false);
});

test("gives none outside of a session", async () => {
  const { call } = await stage();
  expect(await call("keep", { stateDir: undefined })).toBe("");
});

test("does not run a call if a symlink is in its place", async () => {
  const { call, stateDir, root } = await stage();
  symlinkSync(join(root, "person"), stateDir);
  expect(await call("keep")).toContain(`${stateDir} is a symbolic link`);
  expect(existsSync(join(root, "person/list"))).toBe(false);
});

test.skipIf(!hasBubblewrap)("only these tools see it in the sandbox (needs bwrap)", async () => {
  const { call, stateDir, sandbox } = await stage();
  expect(await call("keep", { sandbox })).toBe(stateDir);
  expect(readFileSync(join(stateDir, "list"), "utf8")).toBe("x\n");
  const env = { ...process.env, IKIGAI_STATE_DIR: stateDir };
  expect(await call("plain", { sandbox, env })).toBe("");
  expect(dirname(stateDir)).toContain("sessions");
});

test("gives a tool with a budget a directory for its whole output, which tools that read see in the sandbox", async () => {
  const place = await world({
    "person/": "",
    "home/": "",
    "system/wordy-tool": tool(
      schema("wordy", { ikigai: { answerBytes: 1_000 } }),
      `cat > /dev/null; echo all > "$IKIGAI_OUTPUTS_DIR/w.txt"; printf '{"dir":"%s"}' "$IKIGAI_OUTPUTS_DIR"`,
    ),
    "system/plain-tool": tool(schema("plain", {}), `cat > /dev/null; printf '{"dir":"%s"}' "$IKIGAI_OUTPUTS_DIR"`),
    "system/read-tool": tool(
      schema("read", {}),
      `cat > /dev/null; printf '{"dir":"%s"}' "$(cat ${"$"}{HOME%person}over/outputs/w.txt)"`,
    ),
    "over/": "",
  });
  const { root, home, projectDir } = place;
  const overflowDir = join(root, "over");
  const settings = { home, userHome: join(root, "person"), network: false, writable: [], hidden: [] };
  for (const sandbox of hasBubblewrap ? [undefined, { ...settings, readable: [overflowDir] }] : [undefined]) {
    const call = async (name: string, options: Partial<CallOptions> = {}) => {
      const env = { ...process.env, HOME: join(root, "person") };
      const own = await circumstances({ cwd: projectDir, projectDir, home, overflowDir, sandbox, env, ...options });
      const { envelope } = await callTool(await place.discover(), name, "{}", own);
      return envelope.tool_success ? envelope.result.dir : envelope.error;
    };
    expect(await call("wordy")).toBe(join(overflowDir, "outputs"));
    expect(readFileSync(join(overflowDir, "outputs/w.txt"), "utf8")).toBe("all\n");
    expect([await call("plain"), await call("read")]).toEqual(["", "all"]);
    expect(statSync(join(overflowDir, "outputs")).mode & 0o777).toBe(0o700);
  }
});
