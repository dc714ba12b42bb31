// The user's editor, from the environment.

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
