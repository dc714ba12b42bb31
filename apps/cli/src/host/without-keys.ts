import { isSecretVariable, redact } from "@ikigai/system";

/** A report that a person may pass on, without the secrets of the environment. In a conversation stderr has none of its keys, either. */
export function withoutKeys(report: string, env: NodeJS.ProcessEnv = process.env): string {
  const secrets = Object.entries(env).flatMap(([name, value]) =>
    value && isSecretVariable(name, value) ? [value] : [],
  );
  return redact(report, secrets);
}
