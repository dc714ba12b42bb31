// `ikigai tool check`: runs the checks that a tool must pass, also in the sandbox.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { isatty } from "node:tty";
import { type Places, toolSetup } from "@ikigai/agent/internal";
import { execute, findTool, type RegisteredTool } from "@ikigai/core";
import { IkigaiError } from "@ikigai/core/errors";
import { sandboxProblem } from "@ikigai/core/internal";
import type { JsonObject, ToolNeeds } from "@ikigai/protocol";
import { variablesInside } from "@ikigai/sandbox";
import { sanitiseLine, terminalKind } from "@ikigai/screen";
import { isInside, realPathOf, shellWord } from "@ikigai/system";
import { runCheckCommand, type SandboxedEnd, type SandboxedTool, statusLine, tempDir } from "@ikigai/testing";
import { UsageError } from "../../args/usage-error.ts";
import { nearestName, openCommandTools } from "../../host/conversation/command-tools.ts";
import type { CommandErrorCode } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { shortPath } from "../../render/short-forms.ts";
import { reportSkipped } from "../../render/tool/report-tools.ts";
import type { Command, CommandContext } from "../command.ts";
import { misnamedFile, renderMisnamed } from "./tool-problems.ts";

/** The same checks, options and reports as `npx @ikigai/testing`. */
export const toolCheck: Command = {
  run(args, context) {
    const { hasEscapes } = terminalKind(context.env, { isTerminal: isatty(1) });
    return runCheckCommand(args, {
      name: "ikigai tool check",
      print: printOut,
      printError,
      showStatus: statusLine(printError, { isTerminal: isatty(2), env: context.env }),
      hasColours: hasEscapes,
      pathOf: (name) => pathOf(name, context),
      inSandbox: checkInSandbox(context.places, context.env),
    });
  },
};

/** A name is no consent to run a file that the user has not trusted; its path is. */
function pathAdvice(path: string, places: Places): string {
  const shown = sanitiseLine(shellWord(shortPath(path, places)));
  return `Not run: you have not trusted ${shown}, or it has changed since. To check it, which runs it: ikigai tool check ${shown}`;
}

/** The file of the tool called `name`, even if it could not be loaded, but never of an untrusted one. A slash means a path. */
async function pathOf(name: string, { places, env }: CommandContext): Promise<string | undefined> {
  if (name.includes("/")) return undefined;
  const registry = await openCommandTools(places, env).last();
  const broken = registry.failed.find((failure) => failure.name === name && failure.reason !== "untrusted");
  const tool = findTool(registry, name);
  if (broken?.isLaunched || tool?.launcher)
    throw new UsageError(
      `${name} runs elsewhere, by its launcher. Check its file there: npx @ikigai/testing PATH. More: ikigai tool show ${name}`,
    );
  const path = broken?.path ?? tool?.path;
  if (path === undefined) {
    const untrusted = registry.failed.find((failure) => failure.name === name && failure.reason === "untrusted");
    if (untrusted) throw new UsageError(pathAdvice(untrusted.path, places));
    reportSkipped(registry, name);
    const misnamed = misnamedFile(name, places, registry);
    if (misnamed !== undefined) throw notFound(`${renderMisnamed(misnamed, places)}.`);
    const nearest = nearestName(registry, name);
    const advice = nearest === undefined ? "See: ikigai tool list" : `Did you mean ${nearest}?`;
    throw notFound(`No file or tool ${JSON.stringify(name)}. ${advice}`);
  }
  printError(`Checking ${shortPath(path, places)}\n`);
  return path;
}

function notFound(message: string): IkigaiError<CommandErrorCode> {
  return new IkigaiError("tool_not_found", message);
}

/*
 * A call of `ikigai tool check` in the sandbox of mode auto, with the needs of the tool's schema as if the user had agreed to them, and
 * no part of the user's configuration. If it fails, the hosts that the sandbox has refused, and the files and variables that the failure
 * names, are what the schema lacks.
 */

type InSandbox = (tool: SandboxedTool, args: JsonObject, cwd: string) => Promise<SandboxedEnd>;

/** Returns what makes such a call. */
export function checkInSandbox({ userHome, ...places }: Places, env: NodeJS.ProcessEnv): InSandbox {
  const nowhere = { ...places, userHome, projectDir: "/" };
  const network = toolSetup({ places: nowhere, env, config: {}, flags: { sandbox: true } }).openNetwork();
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
