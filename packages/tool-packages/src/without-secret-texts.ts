import { redact, withoutPassword } from "@ikigai/system";
import { secretValues } from "./program-environment.ts";

/** What another program says, as it may be shown: without passwords in addresses, without values of secret variables. */
export function withoutSecretTexts(text: string, env: NodeJS.ProcessEnv): string {
  return redact(withoutPassword(text), secretValues(env)).replace(/(https?:\/\/[^\s?#]*)\?[^\s]*/gi, "$1?…");
}
