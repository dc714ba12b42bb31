import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RegisteredTool } from "@ikigai/core";
import { decide, type Permission } from "@ikigai/permission";
import type { ToolExtensions } from "@ikigai/protocol";
import { forkConversation, stateDir } from "@ikigai/session";
import { expect, test } from "vitest";
import { registeredTool } from "../../permission/test/registered-tool.ts";
import { agent } from "./agent-setup.ts";
import { modelServer } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const readOnly = { readOnlyHint: true };

/** A tool with these declarations. */
function declaring(ikigai: ToolExtensions, scope: RegisteredTool["scope"] = "system", annotations: object = readOnly) {
  const tool = registeredTool("note", scope, annotations);
  return { ...tool, schema: { ...tool.schema, annotations, ikigai } };
}

function verdictOn(tool: RegisteredTool, permission: Partial<Permission> = {}, args = "{}") {
  const whole = { mode: "ask" as const, rules: [], projectDir: "/nowhere", home: "/nowhere/home", ...permission };
  return decide({ id: "c", name: "note", arguments: args }, tool, whole).verdict;
}

const asks: ToolExtensions = { host: ["ask"] };
const keeps: ToolExtensions = { state: true };

test.each([asks, keeps])("a system tool that declares %j needs no question, in any mode", (ikigai) => {
  for (const mode of ["ask", "edits", "plan", "deny", "allow"] as const) {
    expect(verdictOn(declaring(ikigai), { mode })).toBe("allow");
  }
  expect(verdictOn(declaring(ikigai), {}, '{"question":"Write ~/.ikigai/tools/x-tool and .git/hooks/x?"}')).toBe(
    "allow",
  );
});

test.each([
  ["user", asks],
  ["user", keeps],
  ["project", asks],
  ["project", keeps],
] as const)("a tool of the %s that declares %j needs one", (scope, ikigai) => {
  expect(verdictOn(declaring(ikigai, scope))).toBe("ask");
});

test.each<ToolExtensions>([
  { host: ["ask", "permission"] },
  { host: ["ask", "permission"], state: true },
  { host: [] },
  { state: false },
])("a system tool that declares %j needs one", (ikigai) => {
  expect(verdictOn(declaring(ikigai))).toBe("ask");
});

test("a system tool that may change more needs one", () => {
  expect(verdictOn(declaring(keeps, "system", {}))).toBe("ask");
});

test("a rule of the user comes first", () => {
  expect(verdictOn(declaring(asks), { rules: [{ verdict: "deny", rule: "note" }] })).toBe("deny");
  expect(verdictOn(declaring(keeps), { rules: [{ verdict: "ask", rule: "note" }] })).toBe("ask");
});

test("gives tools the session's directory, and a fork its own copy", async () => {
  const script = `cat > /dev/null; echo "$IKIGAI_STATE_DIR" > "$IKIGAI_STATE_DIR/where"; echo '{"ok":true}'`;
  const one = await agent({ note: { script, declared: { ikigai: keeps } } });
  const server = await modelServer({ calls: [{ id: "a", name: "note", arguments: "{}" }] }, { text: "ok" });
  await one.say(await modelOf(providers[0], server.url), "go");
  const directory = String(stateDir(one.conversation));
  expect(directory).toBe(join(one.home, "sessions", `${one.conversation.id}.state`));
  expect(readFileSync(join(directory, "where"), "utf8")).toBe(`${directory}\n`);
  symlinkSync("/etc/passwd", join(directory, "link"));
  mkdirSync(join(directory, "folder"));
  one.conversation.log.close();
  const fork = forkConversation({ home: one.home, cwd: one.project, id: one.conversation.id }).conversation;
  const copy = String(stateDir(fork));
  expect(readFileSync(join(copy, "where"), "utf8")).toBe(`${directory}\n`);
  expect(statSync(copy).mode & 0o777).toBe(0o700);
  expect(["link", "folder"].map((name) => existsSync(join(copy, name)))).toEqual([false, false]);
  writeFileSync(join(copy, "where"), "mine");
  expect(readFileSync(join(directory, "where"), "utf8")).toBe(`${directory}\n`);
  fork.log.close();
});
