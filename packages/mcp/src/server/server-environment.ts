/** What every program needs; nothing here is a secret. */
const inherited = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "TZ", "TMPDIR", "NODE_EXTRA_CA_CERTS"];
const inheritedForms = [/^LC_[A-Z]+$/, /^SSL_CERT_[A-Z]+$/, /^(https?|all|no|ftp)_proxy$/i];

/** The ids by which the host finds what a server leaves running. */
const marks = ["IKIGAI_HOST_ID", "IKIGAI_SERVICE_ID", "IKIGAI_CALL_ID"];

/**
 * The environment of a server: what every program needs, and what its entry names. Nothing else: not the keys of model providers, nor
 * the tokens of other servers.
 *
 * @param named the expanded values of its entry.
 */
export function serverEnvironment(
  env: NodeJS.ProcessEnv,
  named: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const isInherited = (name: string) =>
    inherited.includes(name) || marks.includes(name) || inheritedForms.some((form) => form.test(name));
  const kept = Object.entries(env).filter(
    // A shell's exported function.
    (entry): entry is [string, string] => entry[1] !== undefined && isInherited(entry[0]) && !entry[1].startsWith("()"),
  );
  return { ...Object.fromEntries(kept), ...named };
}
