// A tool in a shell: reads its arguments from the words of a command line, and prints its answer for a person or a pipe.

import { isUtf8 } from "node:buffer";
import { buffer } from "node:stream/consumers";
import type { Outcome, RegisteredTool } from "@ikigai/core";
import { sanitiseLine } from "@ikigai/screen";
import { replaceMember } from "@ikigai/system";
import { UsageError } from "../args/usage-error.ts";
import { callCommand, isPair, readCallWords, requiredWords, withoutOptions } from "../help/call-words.ts";

/** A command line that calls a tool. */
interface CallLine {
  readonly name: string;
  /** `undefined` if there is no such tool: its words are then passed on. */
  readonly tool: Pick<RegisteredTool, "schema"> | undefined;
  /** The words after the tool's name. */
  readonly words: readonly string[];
  readonly cwd: string;
  /** What calls it, if that is a command that also takes options. Default: `ikigai tool call NAME`. */
  readonly command?: string | undefined;
}

/**
 * The arguments as JSON; `undefined` if they are not UTF-8.
 *
 * @throws UsageError if they cannot be read, or are missing although the tool requires some.
 */
export async function readArguments({ name, tool, cwd, command, ...line }: CallLine): Promise<string | undefined> {
  const schema = tool?.schema;
  const words = command === undefined || !schema ? line.words : withoutOptions(line.words, { name, schema });
  const [given] = words;
  if (given === undefined) {
    const required = schema && requiredWords(schema.parameters);
    if (required === undefined) return "{}";
    throw new UsageError(`${name} needs arguments: ${command ?? callCommand(name)} ${sanitiseLine(required)}`);
  }
  const isMistaken = schema !== undefined && (command !== undefined || /^[A-Za-z_]/.test(given)) && !isJson(given);
  if (words.length === 1 && !isPair(given) && !isMistaken)
    return given === "-" ? decode(await buffer(process.stdin)) : given;
  return JSON.stringify(await readCallWords(words, { name, schema, cwd, command, stdin: () => buffer(process.stdin) }));
}

function isJson(word: string): boolean {
  return word === "-" || word.trimStart().startsWith("{");
}

/** Decodes UTF-8; `undefined` if invalid, since replacement characters would change a path or content. */
function decode(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString("utf8").replace(/^\ufeff/, "") : undefined;
}

/** What a command prints, and its exit code. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

const plainMembers = ["output", "exit_code", "error", "ignored"];

/** What a call prints as a command: a plain tool what its program has printed, with its exit code; another one its answer as JSON. */
export function printedInShell(name: string, { envelope, json }: Outcome, isPlain: boolean): Printed {
  if (!envelope.tool_success) return { stdout: "", stderr: `${name}: ${envelope.error}\n`, exitCode: 1 };
  const { output, error, exit_code: code } = envelope.result;
  const isText = typeof output === "string" && Object.keys(envelope.result).every((key) => plainMembers.includes(key));
  if (isPlain && isText)
    return {
      stdout: output === "" ? "" : `${output}\n`,
      stderr: typeof error === "string" ? `${error}\n` : "",
      exitCode: typeof code === "number" ? code : 0,
    };
  const answers: string[] = [];
  // As the tool has printed it: a parsed number has lost digits.
  replaceMember(json, "result", (text) => {
    answers.push(text);
    return text;
  });
  return { stdout: `${answers[0]}\n`, stderr: "", exitCode: (error ?? null) === null ? 0 : 1 };
}
