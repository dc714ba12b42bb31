import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { isInside, parseObject, readHead, realPathOf } from "@ikigai/system";

/** What one file of a project says about it. */
interface Facts {
  readonly name?: string;
  readonly about?: string;
  /** Commands, each with what it does where that is known. */
  readonly commands?: readonly (readonly [command: string, meaning: string])[];
}

/** So many commands of one file, and so many entries of the project, are listed. */
const maxRows = 30;

/** How much of a file is read, in bytes. */
const maxBytes = 200_000;

/**
 * The instructions for a project, as far as they can be had without a language model: its name and description, its commands
 * and its top level, by README, package.json, Makefile, Cargo.toml, go.mod and pyproject.toml. Symlinks out of the project are
 * not followed.
 */
export function summariseProject(projectDir: string): string {
  const facts = Object.entries(readers).flatMap(([name, read]) => {
    const text = readText(projectDir, name);
    return text === undefined ? [] : [read(text, projectDir)];
  });
  const name = facts.find((fact) => fact.name)?.name ?? basename(projectDir);
  const about = facts.find((fact) => fact.about)?.about;
  const commands = facts.flatMap((fact) => fact.commands ?? []);
  const entries = topLevel(projectDir);
  return [
    `# ${oneLine(name)}\n`,
    ...(about === undefined ? [] : [`${oneLine(about)}\n`]),
    ...(commands.length === 0 ? [] : [`## Commands\n\n${commands.map(commandRow).join("")}`]),
    ...(entries.length === 0 ? [] : [`## Layout\n\n${entries.map((entry) => `- ${code(entry)}\n`).join("")}`]),
  ].join("\n");
}

/** By the name of the file; the first that knows a name or a description decides. */
const readers: Readonly<Record<string, (text: string, projectDir: string) => Facts>> = {
  "package.json": readPackage,
  "Cargo.toml": (text) => ({
    ...readToml(text),
    commands: [
      ["cargo build", ""],
      ["cargo test", ""],
    ],
  }),
  "go.mod": (text) => ({
    ...nameFrom(/^module\s+(\S+)/m, text),
    commands: [
      ["go build ./...", ""],
      ["go test ./...", ""],
    ],
  }),
  "pyproject.toml": (text) => ({
    ...readToml(text),
    ...(/\bpytest\b/.test(text) && { commands: [["python -m pytest", ""]] as const }),
  }),
  Makefile: readMakefile,
  "README.md": readReadme,
};

function readPackage(text: string, projectDir: string): Facts {
  const { name, description, scripts } = parseObject(text) ?? {};
  const [program = "npm"] = Object.entries(lockFiles).flatMap(([file, owner]) =>
    existsSync(join(projectDir, file)) ? [owner] : [],
  );
  const own = typeof scripts === "object" && scripts !== null ? Object.entries(scripts) : [];
  return {
    ...(typeof name === "string" && { name }),
    ...(typeof description === "string" && description !== "" && { about: description }),
    commands: [
      [`${program} install`, ""],
      ...own
        .filter((entry): entry is [string, string] => typeof entry[1] === "string")
        .slice(0, maxRows)
        .map(([script, line]) => [`${program} run ${script}`, line] as const),
    ],
  };
}

/** Whose lock file it is. */
const lockFiles: Readonly<Record<string, string>> = {
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bun",
  "bun.lockb": "bun",
  "package-lock.json": "npm",
};

function readToml(text: string): Facts {
  const [, about] = /^description\s*=\s*"([^"\n]+)"/m.exec(text) ?? [];
  return { ...nameFrom(/^name\s*=\s*"([^"\n]+)"/m, text), ...(about !== undefined && { about }) };
}

function nameFrom(pattern: RegExp, text: string): Pick<Facts, "name"> {
  const [, name] = pattern.exec(text) ?? [];
  return name === undefined ? {} : { name };
}

function readMakefile(text: string): Facts {
  const targets = [...text.matchAll(/^([A-Za-z0-9][\w-]*)[ \t]*:(?!=)/gm)].map(([, target]) => `make ${target}`);
  return { commands: [...new Set(targets)].slice(0, maxRows).map((command) => [command, ""] as const) };
}

function readReadme(text: string): Facts {
  const [, name] = /^#[ \t]+([^\n]+)$/m.exec(text) ?? [];
  const about = text.split(/\n\s*\n/).find((paragraph) => /^[A-Za-z*_`]/.test(paragraph.trimStart()));
  return { ...(name !== undefined && { name }), ...(about !== undefined && { about: about.trim() }) };
}

/** What a build makes or fetches says nothing about a project. */
const made: readonly string[] = ["node_modules", "dist", "build", "target", "out", "vendor", "coverage", "__pycache__"];

function topLevel(projectDir: string): string[] {
  try {
    return readdirSync(projectDir, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith(".") && !made.includes(name) && name !== "AGENTS.md")
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .sort((a, b) => Number(b.endsWith("/")) - Number(a.endsWith("/")) || a.localeCompare(b, "en"))
      .slice(0, maxRows);
  } catch {
    return [];
  }
}

function readText(projectDir: string, name: string): string | undefined {
  const path = realPathOf(join(projectDir, name));
  return isInside(path, realPathOf(projectDir)) ? readHead(path, maxBytes)?.toString("utf8") : undefined;
}

function commandRow([command, meaning]: readonly [string, string]): string {
  return `- ${code(command)}${meaning === "" ? "" : `: ${code(meaning)}`}\n`;
}

/** A backtick would end it. */
function code(text: string): string {
  return `\`${oneLine(text).replaceAll("`", "'")}\``;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > maxLine ? `${line.slice(0, maxLine)}…` : line;
}

/** In characters. */
const maxLine = 300;
