import { lettersOf } from "../../render/render-question.ts";
import { askLine, askQuestion } from "./open-dialog.ts";
import { severalLines } from "./several-lines.ts";
import type { Tui } from "./tui.ts";

function questionFor(hasSandbox: boolean) {
  const answers = [
    { letter: "y", text: "yes, and ask before each change" },
    { letter: "a", text: hasSandbox ? "yes, in the sandbox (auto)" : "yes, and allow edits in the project" },
    { letter: "e", text: "no, and say what to change" },
    { letter: "n", text: "no, keep planning" },
  ];
  return {
    title: "Carry out this plan?",
    remark: "shift-tab changes the mode later",
    answers,
    letters: lettersOf(answers),
  };
}

/** Asks what to do with the model's plan. */
export async function acceptPlan(tui: Tui): Promise<void> {
  if (tui.scheduler.waiting().length > 0) return;
  const question = questionFor(tui.session.agent.sandbox.isThere);
  let initial = "";
  const left = (text: string) => {
    initial = text;
  };
  for (;;) {
    const letter = await askQuestion(tui, { asker: "The plan", current: () => question, refused: () => false });
    if (letter === "y" || letter === "a") return carryOut(tui, letter);
    if (letter !== "e") return;
    const text = await askLine(tui, "What to change? ", { lines: severalLines(tui, "changes.md"), initial, left });
    if (text?.trim()) tui.scheduler.push({ text, when: "end" });
    if (text !== undefined) return;
  }
}

function carryOut({ session, scheduler }: Tui, letter: "y" | "a"): void {
  const { permission, sandbox } = session.agent;
  const fast = sandbox.isThere ? "auto" : "edits";
  permission.mode = letter === "a" ? fast : "ask";
  scheduler.push({ text: "Carry out the plan.", when: "end" });
}
