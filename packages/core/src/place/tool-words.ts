import type { ToolScope } from "@ikigai/protocol";
import { type ProgramStart, wordsOutsideProject } from "@ikigai/system";

/**
 * Decides how a local tool is started: normally by its file, but never by an interpreter of the project. A project's own tool is
 * trusted to choose its interpreter.
 *
 * @returns `failure`, the end of a sentence, if there is no such program outside the project.
 */
export function toolWords(
  start: ProgramStart,
  {
    scope,
    env,
    projectDir,
  }: { readonly scope: ToolScope; readonly env: NodeJS.ProcessEnv; readonly projectDir: string },
): ProgramStart | { readonly failure: string } {
  return scope === "project" ? start : wordsOutsideProject(start, env, projectDir);
}
