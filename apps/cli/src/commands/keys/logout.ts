import { loadConfig, type ProviderName, providerNames, providerTable, storedKeys } from "@ikigai/agent/internal";
import { removeKey } from "@ikigai/agent/setup";
import { IkigaiError } from "@ikigai/core/ikigai-error";
import { orList } from "@ikigai/system";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { exitCodes } from "../../host/exit-codes.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { keyPlace } from "../../render/key-source.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import type { Command, CommandContext } from "../command.ts";
import { withRefusals } from "../with-refusals.ts";
import { providerCalled } from "./login.ts";

const syntax = commands.logout;

export const logout: Command = {
  async run(args, context) {
    const [name] = readOperands(readOptions(args, syntax.options).operands, syntax);
    const provider = name === undefined ? onlyProvider(context) : providerCalled(name);
    return withRefusals(() => remove(provider, context));
  },
};

/** @throws UsageError when several keys are stored; IkigaiError when no key is. */
function onlyProvider({ places, env }: CommandContext): ProviderName {
  const stored = storedKeys({ ...places, env });
  if (stored.problem !== undefined) throw new IkigaiError("key_not_stored", stored.problem);
  const [first, ...others] = providerNames.filter((provider) => stored.placeOf(provider) !== undefined);
  if (first === undefined)
    throw new IkigaiError("key_not_stored", "No key is stored. To see where keys come from: ikigai login --status");
  if (others.length > 0) throw new UsageError(`Missing PROVIDER: ${orList([first, ...others])}.`);
  return first;
}

/** Where the key that is in use comes from, and how to remove it there; empty without one. */
function elsewhere(provider: ProviderName, { places, env }: CommandContext): string {
  const { keyVariable } = providerTable[provider];
  if (env[keyVariable]?.trim()) return ` Its key comes from the environment. To remove it: unset ${keyVariable}`;
  if (!loadConfig(places.home).config.providers?.[provider]?.apiKey?.trim()) return "";
  return ` Its key comes from the configuration. To remove it: ikigai config unset providers.${provider}.apiKey`;
}

async function remove(provider: ProviderName, { places, env }: CommandContext): Promise<number> {
  const removed = await removeKey(provider, { ...places, env });
  if (removed === undefined) {
    printError(`ikigai: No key is stored for ${provider}.${elsewhere(provider, { places, env })}\n`);
    return exitCodes.failed;
  }
  if (removed.why !== undefined) {
    printError(`ikigai: The key may still be in ${keyPlace("keyring", env)}: ${sanitiseLine(removed.why)}\n`);
    return exitCodes.failed;
  }
  const whose = provider === "openai-compatible" ? "OpenAI-compatible server's" : providerTable[provider].title;
  printOut(`Removed the ${whose} key from ${keyPlace(removed.place, env)}.\n`);
  return exitCodes.done;
}
