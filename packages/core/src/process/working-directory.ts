/** This process's working directory; if it was deleted, its former path, so that the error names it. */
export function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD ?? ".";
  }
}
