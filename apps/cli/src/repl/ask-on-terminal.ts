import type { Answer, Ask, Question } from "@ikigai/agent";
import { shortPath } from "../places.ts";
import { describeArguments } from "../screen/render-call.ts";
import { renderChange } from "../screen/render-change.ts";
import { sanitise, sanitiseLine } from "../screen/sanitise.ts";
import type { Session } from "./session.ts";

/** Asks whether a call may run, and shows exactly what would. Anything that is no clear yes is a no. */
export function askOnTerminal(session: Session): Ask {
  return async (question, signal) => {
    const { screen, input } = session;
    screen.startLine();
    screen.print(renderQuestion(question, session));
    for (;;) {
      const typed = await input.ask(renderChoices(question, session), signal);
      const answer = await toAnswer(typed, question, session, signal);
      if (answer) return answer;
      screen.print(`Expected one of the letters, got "${sanitiseLine(typed ?? "")}".\n`);
    }
  };
}

async function toAnswer(
  typed: string | undefined,
  { rule }: Question,
  session: Session,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  switch (typed?.trim().toLowerCase()) {
    case "y":
    case "yes":
      return { allow: true };
    case "s":
      return rule === undefined ? undefined : { allow: true, remember: "session" };
    case "r":
      return rule === undefined ? undefined : { allow: true, remember: "always" };
    case "n":
    case "no":
    case undefined:
      return { allow: false };
    case "e": {
      const words = await session.input.ask("What should it do instead? ", signal);
      return { allow: false, ...(words && { words }) };
    }
    default:
      return undefined;
  }
}

function renderQuestion({ call, tool, reason, realPath }: Question, { screen, env }: Session): string {
  const { style } = screen;
  const origin = tool.scope === "system" ? "" : ` (${tool.scope}: ${sanitiseLine(shortPath(tool.path, env))})`;
  const where = realPath === undefined ? "" : `  ${style.dim(sanitiseLine(shortPath(realPath, env)))}\n`;
  const change = renderChange(call, style);
  const what = change ?? indent(describeWhole(call.name, call.arguments));
  return `${style.yellow("?")} ${style.bold(sanitiseLine(call.name))}${origin}  ${style.dim(sanitiseLine(reason))}\n${where}${what}\n`;
}

/** All of it: nobody can say yes to what they were not shown. */
function describeWhole(name: string, args: string): string {
  return name === "bash" && isPlainCommand(args) ? describeArguments(name, args) : sanitise(prettyJson(args));
}

/** Whether the command is all that the call consists of. */
function isPlainCommand(args: string): boolean {
  try {
    return Object.keys(JSON.parse(args) as object).join() === "command";
  } catch {
    return false;
  }
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function renderChoices({ rule }: Question, { screen }: Session): string {
  const always = rule === undefined ? "" : `s this session   r always: ${sanitiseLine(rule)}   `;
  return `${screen.style.bold("Run it?")}  y once   ${always}n no   e no, and say why  `;
}

function indent(text: string): string {
  return text.replace(/^/gm, "    ");
}
