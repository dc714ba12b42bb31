import { dirname, join } from "node:path";
import { isDirectory, realPathOf, userHome as userHomeIn } from "@ikigai/system";

/** Identifies a trust decision: the user and the project. */
export interface TrustPlace {
  /** The user's directory (`~/.ikigai`), where decisions are stored. */
  readonly home: string;
  /** The project's root directory. The decision covers its `.ikigai/`, `.agents/skills/` and `.claude/skills/`. */
  readonly projectDir: string;
  /** The user's home directory, whose own skills need no decision. Default: that of this process. */
  readonly userHome?: string | undefined;
}

/** A directory of a project that one approval covers. */
export interface ProjectRoot {
  readonly path: string;
  /** What its files are called in a report: before their path in the directory. */
  readonly prefix: string;
}

/** Skills that other agents read, too: outside of `.ikigai/`, but a part of what the user approves. */
export const sharedSkillPlaces = [".agents/skills", ".claude/skills"] as const;

/**
 * Returns the directories of a project that exist: `.ikigai/`, and the skills beside it. One that is also the user's own needs no
 * approval.
 *
 * @param dir the project's `.ikigai/`, without symbolic links.
 */
export function projectRoots(dir: string, { home, userHome = userHomeIn() }: TrustPlace): readonly ProjectRoot[] {
  const project = dirname(dir);
  const roots = [
    { path: dir, prefix: "", own: home },
    ...sharedSkillPlaces.map((place) => ({
      path: join(project, place),
      prefix: `../${place}/`,
      own: userHome === undefined ? undefined : join(userHome, place),
    })),
  ];
  return roots
    .filter(({ path, own }) => isDirectory(path) && (own === undefined || realPathOf(path) !== realPathOf(own)))
    .map(({ path, prefix }) => ({ path, prefix }));
}
