import { join } from "node:path";
import type { UndoPlan } from "@ikigai/git-files";
import { decisiveFileAt } from "@ikigai/sandbox";
import type { ProjectUndo } from "@ikigai/session";
import { utf8Text } from "@ikigai/system";
import { fileSize, shortPath } from "./short-forms.ts";

/** More would scroll away what matters: how many, and the question. */
const maxRows = 20;

/**
 * What an undo would change, one line each: first what the user has changed since, and so stays, then what determines what runs.
 *
 * @throws AgentError `undo_failed`.
 */
export async function renderPlan(
  { undo }: ProjectUndo,
  { changes, stays, isMixed }: UndoPlan,
  places: Parameters<typeof shortPath>[1],
): Promise<string> {
  const sizes = await undo.sizes(changes.flatMap(({ to }) => (to === undefined ? [] : [to.object])));
  const path = (name: string) => shortPath(join(undo.root, utf8Text(name)), places);
  const whatHappens = ({ name, from, to }: UndoPlan["changes"][number]) => {
    if (to === undefined) return `${path(name)} is removed`;
    if (from?.object === to.object) return `${path(name)} gets back its permissions`;
    return `${path(name)} is restored (${fileSize(sizes.get(to.object) ?? 0)})`;
  };
  const why = ({ name }: { readonly name: string }) =>
    decisiveFileAt({ path: join(undo.root, utf8Text(name)), project: undo.root, userHome: undefined })?.why;
  const deciding = changes.filter((change) => why(change) !== undefined);
  const others = changes.filter((change) => why(change) === undefined);
  const rows = [
    ...stays.map(({ name }) => `${path(name)} stays: you changed it since`),
    ...deciding.map((change) => `${whatHappens(change)}; ${why(change)}`),
    ...others.map(whatHappens),
  ];
  const left = rows.length - maxRows;
  const mixed = "A call is running: what you have changed since it began counts as its work, and is undone, too.";
  return [...rows.slice(0, maxRows), ...(left > 0 ? [`… and ${left} more`] : []), ...(isMixed ? [mixed] : [])]
    .map((row) => `  ${row}\n`)
    .join("");
}
