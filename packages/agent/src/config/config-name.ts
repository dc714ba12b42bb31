import { join } from "node:path";

/** What messages call the user's `config.json`: with `~`, unless IKIGAI_HOME names another directory. */
export function configName({ IKIGAI_HOME }: Readonly<Record<string, string | undefined>>): string {
  return join(IKIGAI_HOME || "~/.ikigai", "config.json");
}
