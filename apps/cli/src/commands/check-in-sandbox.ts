import { existsSync } from "node:fs";
import { join } from "node:path";
import { openNetwork, type Places, toolRules } from "@ikigai/agent/internal";
import { execute, type RegisteredTool } from "@ikigai/core";
import { sandboxProblem } from "@ikigai/core/internal";
import type { JsonObject, ToolNeeds } from "@ikigai/protocol";
import { variablesInside } from "@ikigai/sandbox";
import { isInside, realPathOf } from "@ikigai/system";
import { type SandboxedEnd, type SandboxedTool, tempDir } from "@ikigai/testing";

/*
 * A call of `ikigai tool check` in the sandbox of mode auto, with the needs of the tool's schema as if the user had agreed to them, and
 * no part of the user's configuration. If it fails, the hosts that the sandbox has refused, and the files and variables that the failure
 * names, are what the schema lacks.
 */

type InSandbox = (tool: SandboxedTool, args: JsonObject, cwd: string) => Promise<SandboxedEnd>;

/** Returns what makes such a call. */
export function checkInSandbox({ home, userHome }: Places, env: NodeJS.ProcessEnv): InSandbox {
  const permission = { mode: "deny" as const, rules: [], projectDir: "/", home };
  const network = openNetwork(toolRules({}, { home, userHome }, { sandbox: true }), permission, { env });
  let problem: Promise<string | undefined> | undefined;
  return async ({ path, name, schema }, args, cwd) => {
    const { sandbox, ...settings } = network.rules.settingsFor(name);
    problem ??= sandbox && sandboxProblem({ ...sandbox, isReadOnly: true }, cwd, env);
    const reason = sandbox ? await problem : "There is no sandbox.";
    if (reason !== undefined) return { notTried: reason.replace(/\.$/, "") };
    const identity = { realPath: realPathOf(path), stamp: "" };
    const tool: RegisteredTool = { name, path, scope: "user", schema, identity, shadows: [], warnings: [] };
    // A tool that is not installed leaves no data behind.
    const made = await tempDir();
    const { envelope } = await execute(tool, JSON.stringify(args), {
      ...{ ...settings, sandbox, cwd, projectDir: cwd, env },
      ...{ home: made, overflowDir: join(made, "outputs"), serve: false },
    });
    const failure = envelope.tool_success ? (envelope.result.error ?? undefined) : envelope.error;
    if (failure === undefined) return { lacks: [] };
    const hosts = network.traffic().flatMap((one) => (one.refused === undefined ? [] : [one.host]));
    const said = envelope.tool_success ? JSON.stringify(envelope.result) : `${envelope.error}\n${envelope.stderr}`;
    const needs = schema.ikigai?.needs ?? {};
    const lacks = [
      ...[...new Set(hosts)].map((host) => `the host ${host} ("hosts")`),
      ...filesIn(said, needs, { userHome, cwd }),
      ...variablesIn(said, needs, env),
    ];
    return { failure: String(failure), lacks };
  };
}

/** The files that a failure names, which exist outside of the sandbox. */
function filesIn(
  said: string,
  { read = [], write = [] }: ToolNeeds,
  { userHome, cwd }: { readonly userHome: string; readonly cwd: string },
): string[] {
  const isChange = /Read-only file system|EROFS/.test(said);
  const whole = (path: string) => path.replace(/^~(?=\/)/, userHome);
  const declared = (isChange ? write : [...read, ...write]).map(whole);
  const isMissing = (path: string) =>
    existsSync(path) &&
    !isInside(path, cwd) &&
    (isChange || isInside(path, userHome)) &&
    !declared.some((place) => isInside(path, place));
  const named = (said.match(/(?<![\w.])~?\/[^\s'"`:,;()\\]+/g) ?? []).map(whole);
  const list = isChange ? "write" : "read";
  return [...new Set(named)].filter(isMissing).map((path) => `${path.replace(userHome, "~")} ("${list}")`);
}

/** The variables of the environment that a failure names, and that the tool does not get. */
function variablesIn(said: string, { env: declared = [] }: ToolNeeds, env: NodeJS.ProcessEnv): string[] {
  const words = new Set(said.match(/[A-Za-z_]\w*/g));
  const given = variablesInside(env, declared, "/tmp");
  return Object.keys(env)
    .filter((name) => words.has(name) && !Object.hasOwn(given, name))
    .map((name) => `${name} ("env")`);
}
