import { permissionModes } from "@ikigai/agent/permission-modes";
import type { IkigaiError } from "@ikigai/core/ikigai-error";
import { nearestWord } from "@ikigai/system";
import { isCommandGroup } from "../args/command-groups.ts";
import { findCommand } from "../args/commands.ts";
import { UsageError } from "../args/usage-error.ts";
import { sanitise } from "../render/sanitise.ts";
import { nearestMode, otherAnswer } from "./other-agents.ts";

/** What is wrong with a command line, what it probably meant, and the command that explains it. */
export function usageMessage(error: IkigaiError, argv: readonly string[]): string {
  const hint = error.hint === undefined ? "" : ` ${error.hint}`;
  const message = otherName(error, argv) ?? `${sanitise(error.message + hint)}${suggestion(error)}`;
  return `${message}\nTry: ${helpFor(argv)}`;
}

/** What to type instead of a command or an option of another agent, also of one in a group of ours. */
function otherName(error: IkigaiError, argv: readonly string[]): string | undefined {
  const got = error instanceof UsageError ? error.unknown?.got : undefined;
  const command = findCommand(argv)?.name;
  const [group = ""] = argv;
  const isOption = got?.startsWith("-") === true;
  // After a command, another word is an operand: `tool show rm`.
  if (got === undefined || (command !== undefined && !isOption)) return undefined;
  const isInGroup = isCommandGroup(group);
  if (!isInGroup && command !== undefined) return undefined;
  const answer = otherAnswer(isInGroup ? `${group} ${got}` : got);
  const owner = isInGroup ? `ikigai ${command ?? group} has no` : "No";
  return answer === undefined ? undefined : `${owner} ${isOption ? "option" : "command"} ${got}. ${answer}`;
}

function suggestion(error: IkigaiError): string {
  const unknown = error instanceof UsageError ? error.unknown : undefined;
  if (unknown === undefined) return "";
  const { got, known, meant } = unknown;
  const nearest = known === permissionModes ? nearestMode(got) : (meant ?? nearestWord(got, known));
  return nearest === undefined ? "" : ` Did you mean ${nearest}?`;
}

/** The command line that prints the help for another one. */
function helpFor(argv: readonly string[]): string {
  const command = findCommand(argv)?.name ?? (isCommandGroup(argv[0]) ? argv[0] : undefined);
  if (command === "help") return "ikigai help";
  return command === undefined ? "ikigai --help" : `ikigai ${command} --help`;
}
