// `ikigai undo`: restores the files that a session's calls have changed. In reading order: the command, since when, and the list of turns.

import { join } from "node:path";
import type { Snapshot, UndoPlan } from "@ikigai/git-files";
import { textStart } from "@ikigai/protocol";
import { sanitiseLine } from "@ikigai/screen";
import { namedSession, openProjectUndo, type ProjectUndo } from "@ikigai/session";
import { utf8Text } from "@ikigai/system";
import { commands } from "../args/commands.ts";
import { readOperands, readOptions } from "../args/read-options.ts";
import { UsageError } from "../args/usage-error.ts";
import { canAsk, confirm, nobodyToAsk } from "../host/terminal/ask-person.ts";
import { exitCodes } from "../host/terminal/exit.ts";
import { printError, printOut } from "../host/terminal/stdout.ts";
import { renderPlan } from "../render/call/file-change.ts";
import { safeJson } from "../render/json.ts";
import { age } from "../render/short-forms.ts";
import type { Command } from "./command.ts";

const syntax = commands.undo;

/** Restores the files that a session's calls changed: all of them, or since one of its turns. */
export const undo: Command = {
  async run(args, { places, env }) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    const [wanted] = readOperands(operands, syntax);
    const opened = await openProjectUndo({ ...places, env }, wanted && namedSession(places.home, wanted));
    const snapshots = await opened.undo.list();
    if (flags.has("list")) return list(opened, snapshots, flags.has("json"));
    const since = sinceOf(turnsIn(snapshots), values.turn?.[0]);
    const plan = await opened.plan(since);
    if (plan === undefined || plan.changes.length + plan.stays.length === 0) {
      printOut(flags.has("json") ? "{}\n" : "Nothing to undo: the files are as they were saved.\n");
      return exitCodes.done;
    }
    if (flags.has("json")) return json(opened, plan, flags.has("yes"));
    const from = `Since "${titleOf(plan.to)}" (${age(plan.to.time)}, session ${sanitiseLine(opened.session)})`;
    printOut(`${from}:\n${await renderPlan(opened, plan, places)}`);
    if (plan.changes.length === 0) return exitCodes.done;
    if (!flags.has("yes")) {
      if (!canAsk()) throw nobodyToAsk();
      if (!(await confirm(`Undo ${count(plan.changes.length)}?`))) {
        printError("Nothing was changed.\n");
        return exitCodes.failed;
      }
    }
    await opened.apply(plan);
    printOut(`Undone: ${count(plan.changes.length)}. To take it back: ikigai undo\n`);
    return exitCodes.done;
  },
};

function count(changes: number): string {
  return changes === 1 ? "1 file" : `${changes} files`;
}

function titleOf({ text }: Snapshot): string {
  return sanitiseLine(textStart(text.replace(/\s+/g, " ").trim(), 60).trimEnd());
}

/** The snapshots before the turns that changed files. */
function turnsIn(snapshots: readonly Snapshot[]): readonly Snapshot[] {
  const isBefore = ({ kind }: Snapshot) => kind === "before";
  return snapshots.filter((turn, at) => {
    const next = snapshots.slice(at + 1).find((one) => isBefore(one) || one.kind === "after");
    return isBefore(turn) && next?.kind === "after";
  });
}

/** @throws UsageError if there is no such turn. */
function sinceOf(turns: readonly Snapshot[], wanted: string | undefined): number | undefined {
  if (wanted === undefined) return undefined;
  const turn = /^\d+$/.test(wanted) ? turns[Number(wanted) - 1] : undefined;
  if (turn) return turn.turn;
  const known = turns.length === 0 ? "no turn changed files" : `the turns are 1 to ${turns.length}`;
  throw new UsageError(`Expected --turn N, got ${JSON.stringify(wanted)}: ${known}. See: ikigai undo --list`);
}

async function list({ session, undo }: ProjectUndo, snapshots: readonly Snapshot[], isJson: boolean): Promise<number> {
  const turns = turnsIn(snapshots);
  const rows = await Promise.all(
    turns.map(async (turn, at) => {
      const next = turns[at + 1];
      const own = snapshots.slice(snapshots.indexOf(turn), next ? snapshots.indexOf(next) : undefined);
      const last = own.findLast(({ kind }) => kind === "after");
      const changes = last ? await undo.changes(turn.id, last.id) : [];
      return { number: at + 1, turn, names: changes.map(({ name }) => utf8Text(name)) };
    }),
  );
  if (isJson) {
    const turnsJson = rows.map(({ number, turn: { time, text }, names }) => ({
      turn: number,
      time: time.toISOString(),
      message: text,
      files: names.map((name) => join(undo.root, name)),
    }));
    printOut(`${safeJson(JSON.stringify({ session_id: session, turns: turnsJson }))}\n`);
    return exitCodes.done;
  }
  const lines = rows.map(
    ({ number, turn, names }) => `${number}  ${titleOf(turn)}  (${age(turn.time)}, ${count(names.length)})\n`,
  );
  printOut(`Session ${sanitiseLine(session)}, turns that changed files:\n${lines.join("")}`);
  return exitCodes.done;
}

async function json(opened: ProjectUndo, plan: UndoPlan, isConfirmed: boolean): Promise<number> {
  const { undo, session } = opened;
  const path = ({ name }: { readonly name: string }) => join(undo.root, utf8Text(name));
  if (isConfirmed && plan.changes.length > 0) await opened.apply(plan);
  const told = {
    session_id: session,
    since: plan.to.time.toISOString(),
    undone: isConfirmed,
    restored: plan.changes.filter(({ to }) => to !== undefined).map(path),
    removed: plan.changes.filter(({ to }) => to === undefined).map(path),
    stays: plan.stays.map(path),
    mixed: plan.isMixed,
  };
  printOut(`${safeJson(JSON.stringify(told))}\n`);
  return exitCodes.done;
}
