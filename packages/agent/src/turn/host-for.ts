import type { HostApi } from "@ikigai/core";
import { redact } from "@ikigai/system";
import type { CallContext } from "./turn-context.ts";

/** What a call's tool can ask this host for. Without a user, nothing. */
export function hostFor(turn: CallContext, callId: string): HostApi {
  const { answerTool, secrets } = turn;
  if (!answerTool) return {};
  return {
    ask({ question, options, kind }, { tool }, signal) {
      const clean = (text: string) => redact(text, secrets);
      const asked = { callId, tool, question: clean(question), kind, options: options.map(clean) };
      return oneAtATime(turn, async () => {
        if (signal.aborted) return undefined;
        await tellOf(turn, `The tool ${tool.name} asks you a question`);
        const result = await answerTool(asked, signal);
        if (signal.aborted || !result) return undefined;
        // Keys were removed from the options that the user saw; the tool knows them as it wrote them.
        const chosen = "answer" in result ? options[asked.options.indexOf(result.answer)] : undefined;
        const { question: text, options: offered } = asked;
        turn.record({ type: "question", id: callId, question: text, kind, options: offered, ...result });
        return chosen === undefined ? result : { answer: chosen };
      });
    },
  };
}

/** Waits until the user has answered the questions before this one. */
function oneAtATime<Value>(turn: CallContext, ask: () => Promise<Value>): Promise<Value> {
  const asked = turn.question.then(ask);
  turn.question = asked.catch(() => {});
  return asked;
}

async function tellOf(turn: CallContext, message: string): Promise<void> {
  const { tellOfQuestion } = await import("./turn-hooks.ts");
  tellOfQuestion(turn, message);
}
