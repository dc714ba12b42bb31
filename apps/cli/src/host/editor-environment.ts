import { pathOutsideProject } from "@ikigai/system";

/** Where the system keeps its editors. A shell without a PATH, or with an empty one, can search the working directory. */
const systemPath = "/usr/local/bin:/usr/bin:/bin";

/** The exit code of a shell that finds no such command. */
const notFound = 127;

/** Says that the editor failed, and what to do if there is no such program. */
export function editorFailure(env: NodeJS.ProcessEnv, exitCode = notFound): string {
  const editor = JSON.stringify(editorCommand(env));
  const variable = env.VISUAL ? "VISUAL" : "EDITOR";
  return exitCode === notFound
    ? `The editor ${editor} was not found. Set ${variable} to another one: export ${variable}=nano`
    : `The editor ${editor} failed (exit code ${exitCode}).`;
}

/** The command of the user's editor, with its arguments. */
export function editorCommand({ VISUAL, EDITOR }: NodeJS.ProcessEnv): string {
  return VISUAL || EDITOR || "vi";
}

/** The environment for the user's editor: its PATH finds no program of the project, which could pass for one. */
export function editorEnvironment(env: NodeJS.ProcessEnv, projectDir: string): NodeJS.ProcessEnv {
  return { ...env, PATH: pathOutsideProject(env.PATH ?? "", projectDir) || systemPath };
}
