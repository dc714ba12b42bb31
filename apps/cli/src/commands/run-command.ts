import type { CommandName } from "../argv.ts";
import { findPlaces } from "../places.ts";
import { UsageError } from "../usage-error.ts";
import type { Command } from "./command.ts";

type Load = () => Promise<Command>;

/** Each is loaded when it is wanted. */
const commands: Readonly<Record<Exclude<CommandName, "tool">, Load>> = {
  trust: async () => (await import("./trust.ts")).trustCommand,
  doctor: async () => (await import("./doctor.ts")).doctor,
  replay: async () => (await import("./replay.ts")).replay,
};

const toolCommands: Readonly<Record<string, Load>> = {
  list: async () => (await import("./tool-list.ts")).toolList,
  show: async () => (await import("./tool-show.ts")).toolShow,
  call: async () => (await import("./tool-call.ts")).toolCall,
  check: async () => (await import("./tool-check.ts")).toolCheck,
  add: async () => (await import("./tool-add.ts")).toolAdd,
  remove: async () => (await import("./tool-remove.ts")).toolRemove,
  update: async () => (await import("./tool-update.ts")).toolUpdate,
  new: async () => (await import("./tool-new.ts")).toolNew,
  log: async () => (await import("./tool-log.ts")).toolLog,
};

/**
 * Runs a subcommand; returns the exit code.
 *
 * @throws UsageError when there is none of this name, or it is called the wrong way.
 */
export async function runCommand(name: CommandName, args: readonly string[]): Promise<number> {
  const { env } = process;
  if (name !== "tool") return (await commands[name]()).run(args, { places: findPlaces(env), env });
  const [wanted, ...rest] = args;
  const load = wanted !== undefined && Object.hasOwn(toolCommands, wanted) ? toolCommands[wanted] : undefined;
  if (load) return (await load()).run(rest, { places: findPlaces(env), env });
  const known = Object.keys(toolCommands).join(", ");
  const got = wanted === undefined ? "nothing" : `the unknown command ${JSON.stringify(wanted)}`;
  throw new UsageError(`Expected one of ${known} after "ikigai tool", got ${got}.`);
}
