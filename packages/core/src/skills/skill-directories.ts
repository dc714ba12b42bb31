// Where skills are: in the user's directories, and which files of a project belong to its skills.

import { join, resolve } from "node:path";
import { workingDirectory } from "../process/tool-command.ts";
import { broughtDirectories } from "../registry/added-packages.ts";
import { sharedSkillPlaces, type TrustedFile, type TrustReport } from "../trust/project-files.ts";

/** What determines where the user's skills are. */
export interface SkillPlaces {
  /** The user's directory, `~/.ikigai`. */
  readonly home: string;
  /** The user's home directory, for the skills in its `.agents/skills` and `.claude/skills`. Default: without those. */
  readonly userHome?: string | undefined;
}

/** Returns the directories with the user's skills, farthest first: those of added packages are the farthest. */
export function userSkillDirectories({ home, userHome }: SkillPlaces): readonly string[] {
  const shared = userHome === undefined ? [] : sharedSkillPlaces.map((place) => join(fromHere(userHome), place));
  const own = fromHere(home);
  return [...broughtDirectories(own, "skills"), ...shared.reverse(), join(own, "skills")];
}

/** The absolute path; works without a working directory, too. */
function fromHere(path: string): string {
  return resolve(workingDirectory(), path);
}

/** Where a project's skills are in a report of trust, farthest first. */
const projectSkillPrefixes: readonly string[] = [
  ...sharedSkillPlaces.map((place) => `../${place}/`).reverse(),
  "skills/",
];

/** The scripts of a project's skills that are named like tools. */
export function projectSkillScripts({ files }: TrustReport): readonly TrustedFile[] {
  return files.filter(
    ({ path, kind }) =>
      /\bfile\b/.test(kind) &&
      projectSkillPrefixes.some((prefix) => path.startsWith(prefix) && scriptPattern.test(path.slice(prefix.length))),
  );
}

const scriptPattern = /^[A-Za-z0-9][^/]*\/scripts\/[^/]+-tool$/;

/** The files named `SKILL.md` of a project's skills, farthest first. */
export function projectSkillFiles({ files }: TrustReport): readonly TrustedFile[] {
  return projectSkillPrefixes.flatMap((prefix) => {
    const own = files.filter(
      ({ path }) => path.startsWith(prefix) && /^[A-Za-z0-9][^/]*\/SKILL\.md$/.test(path.slice(prefix.length)),
    );
    return own.reverse();
  });
}
