import { redact } from "@ikigai/agent";
import { secretValues } from "./program-environment.ts";

/** An address as it may be shown and written down: without a password, and without the token that stands for a name. */
export function withoutPassword(url: string): string {
  return url.replace(/\b([a-z][a-z0-9+.-]*:\/\/)([^\s/?#]*)@/gi, (_, scheme: string, user: string) => {
    // ssh's user is part of the address: git@host.
    const [name = ""] = user.split(":");
    return /^(git\+)?ssh:/i.test(scheme) && name !== "" ? `${scheme}${name}@` : scheme;
  });
}

/** What another program says, as it may be shown: without passwords in addresses, without values of secret variables. */
export function withoutSecretTexts(text: string, env: NodeJS.ProcessEnv): string {
  return redact(withoutPassword(text), secretValues(env)).replace(/(https?:\/\/[^\s?#]*)\?[^\s]*/gi, "$1?…");
}
