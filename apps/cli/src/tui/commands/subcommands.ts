// /config, /login and /doctor: subcommands of ikigai, on the full screen.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ConfigProblem } from "@ikigai/agent";
import { type Config, readConfig, renderConfigProblem } from "@ikigai/agent/internal";
import { accountNames, providerNames } from "@ikigai/models";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { readRegularFile, runProgram } from "@ikigai/system";
import { chooseModel, missingModelId } from "../../host/model/choose-model.ts";
import { asWritten, renderSettings } from "../../render/render-settings.ts";
import { shortPath } from "../../render/short-forms.ts";
import { editFile, runOwnCommand } from "../app/lend-terminal.ts";
import { type ScreenHandler, say, type Tui } from "../app/tui.ts";

export const config: ScreenHandler = {
  complete: () => ["edit"],
  async run(argument, tui) {
    const { places } = tui.session.agent;
    const path = join(places.home, "config.json");
    if (argument === "edit") return edit(tui, path);
    if (argument !== "") return say(tui, "/config takes only edit. In a shell: ikigai config set KEY VALUE");
    // As it is now: a rule may have been saved meanwhile.
    const { config: settings, problems } = readConfig(places.home);
    const shown = [shortPath(path, { projectDir: "" }), sanitise(renderSettings(asWritten(settings)))];
    say(tui, [...shown, ...problemLines(problems), "/config edit opens it in $EDITOR."].join("\n"));
  },
};

async function edit(tui: Tui, path: string): Promise<void> {
  const { home } = tui.session.agent.places;
  const before = textOf(path);
  const { config: used } = readConfig(home);
  if (!(await editFile(tui, path))) return;
  const { config: edited, problems } = readConfig(home);
  for (const line of problemLines(problems)) say(tui, line);
  if (problems.some(({ isFatal }) => isFatal)) say(tui, "ikigai will not start with this. To correct it: /config edit");
  else if (textOf(path) === before) say(tui, "Nothing was changed.");
  else if (isDeepStrictEqual(withoutTheme(used), withoutTheme(edited))) say(tui, "Takes effect at once.");
  else say(tui, "Takes effect when ikigai restarts.");
}

/** The settings that a running ikigai does not take up: `watchHome` applies the theme. */
function withoutTheme({ screen, ...others }: Config): object {
  return { ...others, screen: { ...screen, theme: undefined } };
}

function problemLines(problems: readonly ConfigProblem[]): string[] {
  return problems.map((problem) => sanitise(renderConfigProblem(problem)));
}

/** The text of a file; undefined if it cannot be read. */
function textOf(path: string): string | undefined {
  try {
    return readRegularFile(path).toString("utf8");
  } catch {
    return undefined;
  }
}

/** Stores a key or signs in, as in a shell; afterwards the models can be used. */
export const login: ScreenHandler = {
  complete: () => [...providerNames, ...accountNames],
  async run(argument, tui) {
    const { session } = tui;
    const names = argument.split(/\s+/).filter(Boolean);
    const exitCode = await runOwnCommand(tui, ["login", ...names]);
    session.agent.config.storedKeys?.refresh();
    tui.setListedModels(undefined);
    // The command has said why.
    if (exitCode !== 0) return;
    // The command may have asked for a base URL.
    const { providers } = readConfig(session.agent.places.home).config;
    session.agent.applySettings({ providers });
    // The running model still has the access from before.
    const { id } = session.model;
    const chosen = await chooseModel(session.agent, id === missingModelId ? undefined : id);
    if ("model" in chosen) session.model = chosen.model;
    say(tui, `Logged in. Model: ${sanitiseLine(session.model.id)}. To use another: /model`);
  },
};

export const doctor: ScreenHandler = {
  async run(_, tui) {
    const { env, places, rules } = tui.session.agent;
    const [, script = ""] = process.argv;
    // The sandbox that this session was started with.
    const flags = rules.sandbox ? [rules.sandbox.network ? "--sandbox-network" : "--sandbox"] : [];
    const options = { cwd: places.projectDir, env, timeoutMs: 30_000, maxBytes: 1_048_576 };
    const { stdout, stderr, failure } = await runProgram(process.execPath, [script, "doctor", ...flags], options);
    const advice = failure === undefined ? [] : [notRun(failure, places.projectDir)];
    say(tui, sanitise([`${stdout}${stderr}`, ...advice].filter(Boolean).join("\n")));
  },
};

/** Says why ikigai doctor has not run, or has been ended, and what to do. @param failure the end of a sentence */
function notRun(failure: string, projectDir: string): string {
  const what = existsSync(projectDir)
    ? "In a shell: ikigai doctor"
    : "Create the directory again, or start ikigai in another one.";
  return `Cannot run ikigai doctor (${process.execPath}): ${failure}. ${what}`;
}
