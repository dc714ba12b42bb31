import { exitCodes, shutdown } from "../../host/exit.ts";
import { type AnswerOptions, readAnswer } from "../../host/read-answer.ts";
import { printError } from "../../host/stdout.ts";
import { wrapWords } from "../../render/fit-text.ts";

/** Width of the number before a label, in columns. */
const indent = 5;

/** Ends each question below the menu. */
export const toMenu = ", Esc for the menu";

/** Prints a sanitised text, wrapped at spaces. */
export function printWrapped(text: string): void {
  printError(`${wrapped(text)}\n`);
}

/** Asks a sanitised question, wrapped at spaces; `undefined` after Esc. Ctrl-C and Ctrl-D end ikigai. */
export function askWrapped(question: string, options: Omit<AnswerOptions, "onQuit"> = {}) {
  return readAnswer(wrapped(question), {
    ...options,
    onQuit(key) {
      printError("Nothing was changed.\n");
      void shutdown(key === "ctrl-c" ? exitCodes.interrupted : exitCodes.done);
    },
  });
}

/** Prints the rows of a menu with their numbers, wrapped at spaces. */
export function printMenu(title: string, labels: readonly string[]): void {
  const rows = labels.map((label, index) => {
    const [first, ...others] = wrapWords(label, width() - indent).split("\n");
    return [`  ${index + 1}`.padEnd(indent) + first, ...others.map((line) => " ".repeat(indent) + line)].join("\n");
  });
  printWrapped(title);
  printError(`${rows.join("\n")}\n`);
}

/** Why an answer is no base URL, as a sentence; `undefined` if it is one. */
export function baseUrlProblem(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text))
    return "A base URL begins with http:// or https://, for example http://127.0.0.1:8080";
  return URL.canParse(text) ? undefined : "The host or the port in this URL is invalid. A port is at most 65535.";
}

function wrapped(text: string): string {
  return text
    .split("\n")
    .map((line) => wrapWords(line, width()))
    .join("\n");
}

/** The last column stays empty, so that the terminal does not wrap. */
function width(): number {
  return (process.stderr.columns || 80) - 1;
}
