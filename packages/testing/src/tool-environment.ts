/** The caller's environment without a host's variables: a test that runs under a host must not pass its limits on. */
export function toolEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("IKIGAI_")));
}
