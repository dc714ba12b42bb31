import { shellWord } from "@ikigai/system";
import { sanitise } from "../../render/sanitise.ts";
import type { MadeCall } from "./made-call.ts";

/** The variables that the shipped tools read. bash does not pass the limits to its commands. */
const shippedVariables = ["IKIGAI_SHELL", "IKIGAI_TIMEOUT_MS", "IKIGAI_MAX_OUTPUT_BYTES", "IKIGAI_ANSWER_BYTES"];

/**
 * The shell command that repeats a call in any POSIX shell: the same bytes to the same executable in the same directory. A tool
 * that does not ship with ikigai may read any of the protocol's variables, so it gets all of them. A call behind a launcher needs
 * ikigai, which takes directory, variables and limits there. One line, without control or invisible characters.
 */
export function shellLine(call: MadeCall): string {
  return call.isLaunched
    ? `ikigai replay ${visibleWord(call.id)} --session ${visibleWord(call.sessionId)}`
    : callLine(call);
}

/**
 * What a call runs. For a call behind a launcher it leaves out what ikigai does there, as no local shell can do it.
 *
 * @param options.isWhole with every variable that the tool gets
 */
export function callLine(call: MadeCall, { isWhole = false } = {}): string {
  const { arguments: args, cwd, path, scope, env, isLaunched } = call;
  if (isLaunched) return `${print(args)} | ${inVisibleText(path)}`;
  const variables = Object.entries(env)
    .filter(([name]) => isWhole || scope !== "system" || shippedVariables.includes(name))
    .map(([name, value]) => `${name}=${visibleWord(value)} `);
  return `cd ${visibleWord(cwd)} && ${print(args)} | ${variables.join("")}${visibleWord(path)}`;
}

/** `echo` may interpret backslashes and options; `printf %s` does not. */
function print(text: string): string {
  if (!isVisible(text)) return `printf ${shellWord(format(text))}`;
  return `${/^-|\\/.test(text) ? "printf %s" : "echo"} ${shellWord(text)}`;
}

/** A shell word, with escapes for invisible characters. */
function visibleWord(text: string): string {
  return isVisible(text) ? shellWord(text) : `"$(printf ${shellWord(format(text))})"`;
}

function inVisibleText(text: string): string {
  return isVisible(text) ? text : visibleWord(text);
}

function isVisible(text: string): boolean {
  return !/[\n\t]/.test(text) && sanitise(text) === text;
}

/** A `printf` format for this text: special characters doubled, invisible ones as octal bytes. */
function format(text: string): string {
  const parts = [...text].map((character) => {
    if (character === "\\" || character === "%") return character.repeat(2);
    if (isVisible(character)) return character;
    return octal(character);
  });
  // printf would read a leading - as an option.
  return parts.join("").replace(/^-/, octal);
}

function octal(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
