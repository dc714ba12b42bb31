// `ikigai doctor`: runs the checks of check-machine.ts and check-setup.ts, prints their sections and a summary. Then the sections that are only a
// few lines: proxies, the protocol, the screen.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  type Config,
  namedAgents,
  type Places,
  readConfig,
  type SandboxFlags,
  storedKeys,
  toolSetup,
} from "@ikigai/agent/internal";
import { fileProblems } from "@ikigai/agent/setup";
import { trustStatus } from "@ikigai/core";
import { findLeftovers } from "@ikigai/core/internal";
import { ProxyError, proxyFor, proxyVariable } from "@ikigai/http";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { sessionProblems } from "@ikigai/session";
import { installedTools, Refusal } from "@ikigai/tool-packages";
import { commands } from "../../args/commands.ts";
import { readSandboxFlags } from "../../args/parse-argv.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { openCommandTools } from "../../host/conversation/command-tools.ts";
import { namedDirectoryProblems } from "../../host/places/find-places.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printOut } from "../../host/terminal/stdout.ts";
import { unusedCommandFiles } from "../../session/commands/own-commands.ts";
import type { Command, CommandContext } from "../command.ts";
import { themeProblems } from "../config/setting-problems.ts";
import { missingBridges } from "../mcp/mcp-servers.ts";
import { installedTrouble, misnamedFiles, renderMisnamed } from "../tool/tool-problems.ts";
import {
  checkData,
  checkDirectories,
  checkDisk,
  checkLeftovers,
  checkSandbox,
  checkVersions,
  fine,
  type Line,
  note,
  type Section,
} from "./check-machine.ts";
import {
  checkConfig,
  checkHooks,
  checkInstructions,
  checkLimits,
  checkModels,
  checkProject,
  checkToolNames,
  checkTools,
} from "./check-setup.ts";

const syntax = commands.doctor;

export const doctor: Command = {
  async run(args, context) {
    const { places } = context;
    const { operands, flags } = readOptions(args, syntax.options);
    readOperands(operands, syntax);
    const read = readConfig(places.home);
    const keys = storedKeys({ ...places, env: context.env });
    const loaded = { ...read, config: { ...read.config, storedKeys: keys } };
    const sections: readonly Section[] = [
      checkVersions(),
      checkConfig(loaded, places),
      ...(isUsable(loaded) ? await checkWhatRuns(loaded.config, context, readSandboxFlags(flags)) : []),
      ...(await checkHooks(places)),
      checkDirectories(places, homeProblems(places.home).filter(isNew(loaded))),
      checkDisk(places),
      checkLimits(loaded.config),
      ...checkProxy(context.env),
      ...(await checkScreen(loaded.config, places)),
      checkLeftovers(await findLeftovers(places.home), places),
    ];
    printOut(sections.map(renderSection).join("\n"));
    const count = (wanted: Line["kind"]) =>
      sections.flatMap(({ lines }) => lines).filter(({ kind }) => kind === wanted).length;
    printOut(`\n${summary(count("broken"), count("note"), isUsable(loaded))}\n`);
    return count("broken") === 0 ? exitCodes.done : exitCodes.failed;
  },
};

/** Checks that start tools or the sandbox, which a broken configuration rules out. */
async function checkWhatRuns(config: Config, { places, env }: CommandContext, flags: SandboxFlags): Promise<Section[]> {
  const { rules } = toolSetup({ places, env, flags, config });
  const toolbox = openCommandTools(places, env, rules);
  // A cached schema does not say whether a launcher still works.
  const hasLaunchers = Object.keys(rules.launchers).length > 0;
  const tools = hasLaunchers ? toolbox.refresh() : toolbox.last();
  const [registry, report] = await Promise.all([tools, trustStatus(places)]);
  const found = await namedAgents({ ...places, registry, model: config.model ?? "" });
  const unusedCommands = await unusedCommandFiles(places);
  const changed = installedTrouble(installedTools(places, registry), places);
  const misnamed = misnamedFiles(places, registry).map((path) => renderMisnamed(path, places));
  const notes = [...changed, ...misnamed, ...bridgeNotes(places), ...namedDirectoryProblems(env)];
  const names = checkToolNames(config, registry);
  const data = checkData(registry, places);
  return [
    checkTools(registry, notes, places),
    ...(names.length > 0 ? [{ title: "Names in the configuration", lines: names }] : []),
    ...(data.length > 0 ? [{ title: "Data of tools that are not here", lines: data }] : []),
    ...checkInstructions(registry, { ...found, remarks: [...found.remarks, ...unusedCommands] }, places),
    checkProject(report, places),
    await checkModels(config, env),
    await checkSandbox(rules, registry, places, env),
  ];
}

/** A damaged record is reported with the tools. */
function bridgeNotes(places: CommandContext["places"]): readonly string[] {
  try {
    return missingBridges(places);
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

/** What is wrong with the user's files; a session's problem may be that of the directory. */
function homeProblems(home: string): string[] {
  const found = fileProblems(home);
  return [...found, ...sessionProblems(home).filter((problem) => !found.some((other) => problem.includes(other)))];
}

/** Whether a problem is not part of what is wrong with the configuration: a directory of another user. */
function isNew({ problems }: ReturnType<typeof readConfig>): (problem: string) => boolean {
  return (problem) => !problems.some(({ message }) => message.includes(problem));
}

function isUsable({ problems }: ReturnType<typeof readConfig>): boolean {
  return problems.every(({ isFatal }) => !isFatal);
}

function summary(broken: number, notes: number, isComplete: boolean): string {
  const skipped = isComplete ? "" : " Tools, models and the sandbox were not checked: fix the configuration first.";
  if (broken + notes === 0) return "No problems found.";
  const told = [
    ...(broken > 0 ? [`${broken} ${broken === 1 ? "problem" : "problems"} (marked !)`] : []),
    ...(notes > 0 ? [`${notes} ${notes === 1 ? "note" : "notes"} (marked ~)`] : []),
  ];
  return `${told.join(", ")}${broken === 0 ? noteRemark(notes) : ""}.${skipped}`;
}

/** What follows the number of notes where there is no problem. */
function noteRemark(notes: number): string {
  return notes === 1 ? "; it does not stop ikigai" : "; they do not stop ikigai";
}

const marks: Readonly<Record<Line["kind"], string>> = { fine: " ", note: "~", broken: "!" };

function renderSection({ title, lines }: Section): string {
  return `${title}\n${lines.map(({ kind, text }) => `${marks[kind]} ${text.replaceAll("\n", "\n  ")}\n`).join("")}`;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxies of the environment; without one, no section. Contacts none. */
function checkProxy(env: Environment): Section[] {
  const lines = ["http:", "https:"].flatMap((protocol) => checkProtocol(protocol, env));
  if (lines.length === 0) return [];
  const direct = (env.no_proxy || env.NO_PROXY || "").split(/[\s,]+/).filter((name) => name !== "");
  const exceptions = sanitiseLine(["localhost", "127.0.0.0/8", "[::1]", ...direct].join(", "));
  return [{ title: "Proxy", lines: [...lines, fine(`not used for ${exceptions}`)] }];
}

function checkProtocol(protocol: string, env: Environment): Line[] {
  const name = proxyVariable(protocol, env);
  if (name === undefined) return [];
  try {
    // NO_PROXY is not for all hosts.
    const proxy = proxyFor(new URL(`${protocol}//host.invalid`), { [name]: env[name] });
    return proxy === undefined ? [] : [fine(`${protocol}// through ${sanitiseLine(proxy.host)} (${name})`)];
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error;
    return [note(sanitiseLine(error.message))];
  }
}

/** What is wrong with the user's keys and themes: with the theme in use, and with other files. Without problems, no section. */
async function checkScreen({ screen }: Config, { home }: Places): Promise<Section[]> {
  const names = new Set([...(screen?.theme === undefined ? [] : [screen.theme]), ...themeFiles(home)]);
  const themes = await Promise.all([...names].map((name) => themeProblems(name, home)));
  const problems = [...(await keyProblems(home)), ...themes.flat()];
  return problems.length === 0
    ? []
    : [{ title: "Keys and themes", lines: problems.map((text) => note(sanitise(text))) }];
}

async function keyProblems(home: string): Promise<readonly string[]> {
  if (!existsSync(join(home, "keys.json"))) return [];
  return (await import("../../tui/app/user-files.ts")).loadBindings(home).problems;
}

/** The names of the themes in the user's directory. */
function themeFiles(home: string): readonly string[] {
  try {
    return readdirSync(join(home, "themes")).flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []);
  } catch {
    return [];
  }
}
