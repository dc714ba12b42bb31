import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Config, Places } from "@ikigai/agent/internal";
import { sanitise } from "../../render/sanitise.ts";
import { themeProblems } from "../config/theme-problems.ts";
import { note, type Section } from "./section.ts";

/** What is wrong with the user's keys and themes: with the theme in use, and with other files. Without problems, no section. */
export async function checkScreen({ screen }: Config, { home }: Places): Promise<Section[]> {
  const names = new Set([...(screen?.theme === undefined ? [] : [screen.theme]), ...themeFiles(home)]);
  const themes = await Promise.all([...names].map((name) => themeProblems(name, home)));
  const problems = [...(await keyProblems(home)), ...themes.flat()];
  return problems.length === 0
    ? []
    : [{ title: "Keys and themes", lines: problems.map((text) => note(sanitise(text))) }];
}

async function keyProblems(home: string): Promise<readonly string[]> {
  if (!existsSync(join(home, "keys.json"))) return [];
  return (await import("../../tui/app/load-bindings.ts")).loadBindings(home).problems;
}

/** The names of the themes in the user's directory. */
function themeFiles(home: string): readonly string[] {
  try {
    return readdirSync(join(home, "themes")).flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []);
  } catch {
    return [];
  }
}
