import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { cleanEnv, ikigai, type RunEnd } from "./ikigai.ts";

/** A user with hooks, in a project. */
export interface HookWorld {
  readonly home: string;
  readonly project: string;
  run(...args: readonly string[]): Promise<RunEnd>;
  /** Makes the call that a request in plain words asks for, without a question; returns its envelope. */
  ask(prompt: string): Promise<{ readonly error?: string; readonly hook_context?: string }>;
}

/** @param bin a directory whose programs are found first. */
export async function hookWorld(files: Readonly<Record<string, string>>, bin?: string): Promise<HookWorld> {
  const home = await tempDir();
  const project = await tempDir(files);
  const clean = await cleanEnv(home);
  const env = bin === undefined ? clean : { ...clean, PATH: `${bin}${delimiter}${clean.PATH}` };
  const run = (...args: readonly string[]) => ikigai(args, { cwd: project, env });
  const ask = async (prompt: string) => {
    const allowed = ["--permission-mode", "allow", "--model", "offline", "--output-format", "json"];
    const { stdout } = await run("-p", prompt, ...allowed);
    return JSON.parse(stdout).tool_calls[0].envelope;
  };
  return { home, project, run, ask };
}

/** Writes a script for `sh`. */
export function writeScript(path: string, ...lines: readonly string[]): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${lines.join("\n")}\n`, { mode: 0o755 });
  return path;
}

/** Writes a hook of the user. */
export function userHook({ home }: HookWorld, name: string, ...lines: readonly string[]): string {
  return writeScript(join(home, ".ikigai/hooks", name), ...lines);
}

/** Writes a hook of the project. */
export function projectHook({ project }: HookWorld, name: string, ...lines: readonly string[]): string {
  return writeScript(join(project, ".ikigai/hooks", name), ...lines);
}
