// Finds skills, and loads the code for that only if there may be some: most starts need none of it.

import { addedPackages, seenPackages } from "../registry/added-packages.ts";
import { stampAt } from "../registry/stamps.ts";
import type { ExaminedProject } from "../trust/trust.ts";
import type { FoundSkills } from "./find-skills.ts";
import { projectSkillFiles, type SkillPlaces, userSkillDirectories } from "./skill-directories.ts";

/** Finds the user's skills alone. */
export function userSkills(places: SkillPlaces): Promise<FoundSkills> {
  const report = { status: "nothing" as const, dir: "", files: [] };
  return skillsIfAny(places, { report, files: new Map(), places: new Map() });
}

/** Finds skills. Loads the code for it only if there is a directory with some: most starts need none of it. */
export async function skillsIfAny(places: SkillPlaces, project: ExaminedProject): Promise<FoundSkills> {
  const directories = userSkillDirectories(places).map((path) => [path, stampAt(path)] as const);
  const seen = new Map([...seenPackages(places.home), ...directories]);
  const isEmpty =
    addedPackages(places.home).every(({ problem }) => problem === undefined) &&
    directories.every(([, stamp]) => stamp === "missing") &&
    projectSkillFiles(project.report).length === 0;
  if (isEmpty) return { skills: [], failed: [], problems: [], seen };
  return (await import("./find-skills.ts")).findSkills(places, project);
}
