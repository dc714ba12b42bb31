import { constants } from "node:os";
import { graceMs, isJsonObject } from "@ikigai/protocol";
import { describeExit, firstLine, type Trial } from "./check.ts";
import type { Run } from "./subject.ts";

/** How a tool behaves as a process: what it does unasked, and what is left of it. */
export const processChecks: readonly Trial[] = [
  {
    id: "waits-for-input",
    level: "must",
    title: 'does nothing before it has read its input, if it says "prestart"',
    needs: "schema",
    async look(subject) {
      const { ikigai } = await subject.schema();
      if (!isJsonObject(ikigai) || ikigai.prestart !== true) return { notTried: 'it does not say "prestart"' };
      const end = await subject.idle();
      if (!end.timedOut) return `Nobody had written to its stdin, and it ${describeExit(end)}.`;
      if (end.stdout.length > 0)
        return `It printed before there was an input: ${firstLine(end.stdout.toString("utf8"))}`;
      return end.madeFiles.length > 0
        ? `It made files before there was an input: ${firstLine(end.madeFiles.join(", "))}`
        : undefined;
    },
  },
  {
    id: "ends-on-sigterm",
    level: "should",
    title: `ends within ${graceMs} ms of SIGTERM`,
    needs: "starts",
    async look(subject) {
      if (wasKilled(await subject.idle())) return stillThere;
      for (const args of await subject.calls()) {
        const { durationMs } = await subject.answer(args);
        if (durationMs < longCallMs) continue;
        if (wasKilled(await subject.stop(args, durationMs / 2))) return `Given ${JSON.stringify(args)}: ${stillThere}`;
      }
      return undefined;
    },
  },
  {
    id: "leaves-nothing-running",
    level: "must",
    title: "leaves no process behind",
    needs: "starts",
    async look(subject) {
      const ends = [await subject.refuse("{"), await subject.printSchema()];
      for (const args of await subject.calls()) ends.push(await subject.answer(args));
      return ends.some((end) => end.leftProcesses)
        ? "A process that it had started was still there after its end."
        : undefined;
    },
  },
];

/** From when on a call takes long enough to be stopped in the middle, in milliseconds. */
const longCallMs = 500;

const stillThere = `It was still there ${graceMs} ms after SIGTERM and had to be killed.`;

function wasKilled({ timedOut, exitCode }: Run): boolean {
  return timedOut && exitCode === 128 + constants.signals.SIGKILL;
}
