import { constants } from "node:os";
import { graceMs, isJsonObject } from "@ikigai/protocol";
import type { Trial } from "./check.ts";
import { describeExit, firstLine, quoted } from "./describe-end.ts";
import type { LeftProcess } from "./process-group.ts";
import type { Run } from "./subject.ts";

/** Checks of the process: what it does before its call, and what it leaves behind. */
export const processChecks: readonly Trial[] = [
  {
    id: "waits-for-input",
    level: "must",
    title: 'does nothing before it has read its input if it declares "prestart"',
    needs: "schema",
    async look(subject) {
      const { ikigai } = await subject.schema();
      if (!isJsonObject(ikigai) || ikigai.prestart !== true) return { notTried: 'it does not declare "prestart"' };
      const end = await subject.idle();
      if (!end.timedOut) return `Before it got any input, it ${describeExit(end)}; expected it to wait.`;
      if (end.stdout.length > 0) return `Before it got any input, it printed ${quoted(end.stdout.toString("utf8"))}.`;
      return end.madeFiles.length > 0
        ? `Before it got any input, it created ${firstLine(end.madeFiles.join(", "))}.`
        : undefined;
    },
  },
  {
    id: "ends-on-sigterm",
    level: "should",
    title: `ends within ${graceMs} ms of SIGTERM`,
    needs: "starts",
    async look(subject) {
      if (wasKilled(await subject.idle())) return `It ${stillThere}`;
      for (const args of await subject.calls()) {
        const { durationMs } = await subject.answer(args);
        if (durationMs < longCallMs) continue;
        if (wasKilled(await subject.stop(args, durationMs / 2)))
          return `Called with ${JSON.stringify(args)}: it ${stillThere}`;
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
      const [left] = ends.flatMap((end) => end.leftProcesses);
      if (left === undefined) return undefined;
      return `${describeLeft(left)} was still running after the tool exited.`;
    },
  },
];

/** Names a process that was left running, at the beginning of a sentence. */
export function describeLeft({ pid, command }: LeftProcess): string {
  return command === "" ? `A process of group ${pid}` : `${quoted(command)} (process ${pid})`;
}

/** The shortest call that can be stopped midway, in milliseconds. */
const longCallMs = 500;

const stillThere = `was still running ${graceMs} ms after SIGTERM and had to be killed.`;

function wasKilled({ timedOut, exitCode }: Run): boolean {
  return timedOut && exitCode === 128 + constants.signals.SIGKILL;
}
