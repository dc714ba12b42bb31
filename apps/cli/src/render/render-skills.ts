import { join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import type { FailedSkill, Registry, Skill } from "@ikigai/core";
import { sanitiseLine } from "./sanitise.ts";
import { shortPath } from "./short-path.ts";

/** A longer description is cut in the list, in characters. */
const maxLength = 100;

/** The output of `/load` without a name. */
export function renderSkills({ skills, failedSkills }: Registry, places: Places): string {
  const rows = [
    ...skills.flatMap((skill) => rowsOf(skill, places)),
    ...failedSkills.map((skill) => failedRow(skill, places)),
  ];
  const wanted = shortPath(join(places.home, "skills/NAME/SKILL.md"), places);
  return [
    ...(rows.length === 0 ? [`No skills. To add one, create ${wanted}. More: /help skills`] : ["Skills:", ...rows]),
    "/load NAME loads a skill or tool.",
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function rowsOf({ name, description, path, allowedTools, notes, shadows }: Skill, places: Places): string[] {
  const text = description.length > maxLength ? `${description.slice(0, maxLength)}…` : description;
  return [
    `  ${name}  ${sanitiseLine(text)}  (${shortPath(path, places)})`,
    ...(allowedTools === undefined ? [] : [`    allowed-tools: ${sanitiseLine(allowedTools)} (ikigai still asks)`]),
    ...notes.map((note) => `    ${sanitiseLine(note)}`),
    ...shadows.map((farther) => `    overrides ${shortPath(farther, places)}`),
  ];
}

function failedRow({ name, path, reason }: FailedSkill, places: Places): string {
  return `  ${sanitiseLine(name)}  cannot be used: ${sanitiseLine(reason)}  (${shortPath(path, places)})`;
}
