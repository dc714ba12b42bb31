/** This process's working directory. When it is gone, the path it had: whoever uses it says what is wrong. */
export function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD ?? ".";
  }
}
