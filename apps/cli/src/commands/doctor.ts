import { statSync } from "node:fs";
import { join } from "node:path";
import { type ConfigProblem, loadConfig } from "@ikigai/agent";
import { type Registry, trustStatus } from "@ikigai/core";
import {
  defaultMaxOutputBytes,
  defaultTimeoutMs,
  maxSchemaBytes,
  protocolVersion,
  schemaTimeoutMs,
} from "@ikigai/protocol";
import { exitCodes } from "../exit-codes.ts";
import { type Places, shortPath } from "../places.ts";
import { printOut } from "../print-out.ts";
import { sanitiseLine } from "../screen/sanitise.ts";
import { openToolbox } from "../toolbox.ts";
import { UsageError } from "../usage-error.ts";
import { version } from "../version.ts";
import type { Command } from "./command.ts";

/** What each provider's key is called. */
const keyVariables = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENAI_COMPATIBLE_API_KEY"];
const addressVariables = [
  "ANTHROPIC_BASE_URL",
  "OPENAI_BASE_URL",
  "GOOGLE_GEMINI_BASE_URL",
  "OPENAI_COMPATIBLE_BASE_URL",
];

/** A part of the report: its title, its lines, and whether something in it must be mended. */
interface Section {
  readonly title: string;
  readonly lines: readonly string[];
  readonly broken?: boolean;
}

export const doctor: Command = {
  name: "doctor",
  usage: "doctor",
  async run(args, { places, env }) {
    if (args.length > 0) throw new UsageError(`Expected ikigai doctor alone, got "${args.join(" ")}".`);
    const { config, problems, path } = loadConfig(places.home);
    const registry = await openToolbox(places, env).current();
    const report = await trustStatus(places);
    const sections: Section[] = [
      versions(),
      toolSection(registry, env),
      { title: "Project", lines: [`.ikigai: ${report.status}${report.problem ? `: ${report.problem}` : ""}`] },
      modelSection(config.model, env),
      { title: "Configuration", ...configLines(path, problems, env) },
      directorySection(places, env),
      limits(),
    ];
    for (const { title, lines } of sections)
      printOut(`${title}\n${lines.map((line) => `  ${sanitiseLine(line)}\n`).join("")}`);
    const isBroken = sections.some(({ broken }) => broken);
    printOut(isBroken ? "Something needs mending: see the lines marked ✗.\n" : "All is well.\n");
    return isBroken ? exitCodes.failed : exitCodes.done;
  },
};

function versions(): Section {
  const { platform, arch, versions: of } = process;
  return {
    title: "Versions",
    lines: [`ikigai ${version}, protocol ${protocolVersion}, Node ${of.node}, ${platform} ${arch}`],
  };
}

function toolSection({ tools, failed, problems }: Registry, env: NodeJS.ProcessEnv): Section {
  const loaded = tools.map(({ name, scope, path, shadows, warnings }) => {
    const overrides = shadows.map((shadow) => `, overrides ${shadow.scope}`).join("");
    return `✓ ${name} (${scope}${overrides})  ${shortPath(path, env)}${warnings.map((warning) => `; ${warning}`).join("")}`;
  });
  // A project nobody trusted is as it should be; a tool that is broken is not.
  const skipped = failed.map(({ name, reason, detail, path }) => {
    return `${reason === "untrusted" ? "-" : "✗"} ${name}  ${shortPath(path, env)}: ${reason}${detail ? `: ${detail}` : ""}`;
  });
  return {
    title: "Tools",
    lines: [...loaded, ...skipped, ...problems.map((problem) => `✗ ${problem}`)],
    broken: tools.length === 0 || problems.length > 0 || failed.some(({ reason }) => reason !== "untrusted"),
  };
}

function modelSection(model: string | undefined, env: NodeJS.ProcessEnv): Section {
  const keys = keyVariables.map((name) => `${env[name] ? "✓" : "-"} ${name} ${env[name] ? "is set" : "is not set"}`);
  const addresses = addressVariables
    .filter((name) => env[name])
    .map((name) => `✓ ${name} ${withoutSecrets(env[name])}`);
  return { title: "Model", lines: [`configured: ${model ?? "none"}`, ...keys, ...addresses] };
}

/** An address may hold a password. */
function withoutSecrets(address = ""): string {
  try {
    const { origin, pathname } = new URL(address);
    return `${origin}${pathname}`;
  } catch {
    return "is no address";
  }
}

function configLines(path: string, problems: readonly ConfigProblem[], env: NodeJS.ProcessEnv) {
  const lines = problems.map(({ key, message }) => `✗ ${key ? `${key}: ` : ""}${message}`);
  return { lines: [shortPath(path, env), ...lines], broken: problems.length > 0 };
}

function directorySection({ home, directories }: Places, env: NodeJS.ProcessEnv): Section {
  const own = [home, join(home, "sessions"), join(home, "config.json"), join(home, "trust.json")].map((path) => {
    const mode = modeOf(path);
    const isLoose = mode !== undefined && (mode & 0o077) !== 0;
    const advice = isLoose ? `: others can look inside; try: chmod go= ${path}` : "";
    return { line: `${isLoose ? "✗" : "-"} ${shortPath(path, env)}  ${describeMode(mode)}${advice}`, isLoose };
  });
  const tools = directories.map(
    ({ path, scope }) => `- ${shortPath(path, env)} (${scope})  ${describeMode(modeOf(path))}`,
  );
  return {
    title: "Directories",
    lines: [...own.map(({ line }) => line), ...tools],
    broken: own.some(({ isLoose }) => isLoose),
  };
}

function modeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mode;
  } catch {
    return undefined;
  }
}

function describeMode(mode: number | undefined): string {
  return mode === undefined ? "is not there" : `mode ${(mode & 0o777).toString(8)}`;
}

function limits(): Section {
  return {
    title: "Limits",
    lines: [
      `a schema: ${schemaTimeoutMs / 1000} s, ${maxSchemaBytes} bytes`,
      `a call: ${defaultTimeoutMs / 1000} s, ${defaultMaxOutputBytes} bytes, unless the tool or the configuration says otherwise`,
    ],
  };
}
