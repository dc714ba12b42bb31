import { UsageError } from "./usage-error.ts";

/**
 * @throws UsageError for `--sandbox workspace-write` and `-c model=o3`: the mode or setting of another agent must not become part of
 * the message.
 */
export function refuseValue(argv: readonly string[]): void {
  for (const [index, word] of argv.entries()) {
    const option = argv[index - 1] ?? "";
    if (option === "--") return;
    const isSetting = /^(-c|--continue)$/.test(option) && /^[\w.-]+=\S/.test(word);
    if (!isSetting && (option !== "--sandbox" || !sandboxModes.includes(word))) continue;
    const advice = isSetting ? " To change a setting: ikigai config set KEY VALUE" : "";
    throw new UsageError(`${option} takes no value, got ${JSON.stringify(word)}.${advice}`);
  }
}

/** The values of --sandbox in Codex. */
const sandboxModes: readonly string[] = ["read-only", "workspace-write", "danger-full-access"];
