import { pathOutsideProject } from "@ikigai/system";

/** Where the system keeps its editors. A shell without a PATH, or with an empty one, can search the working directory. */
const systemPath = "/usr/local/bin:/usr/bin:/bin";

/** The environment for the user's editor: its PATH finds no program of the project, which could pass for one. */
export function editorEnvironment(env: NodeJS.ProcessEnv, projectDir: string): NodeJS.ProcessEnv {
  return { ...env, PATH: pathOutsideProject(env.PATH ?? "", projectDir) || systemPath };
}
