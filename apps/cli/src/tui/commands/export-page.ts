// What the page of /export has of the screen: its words, the colours of code, and changes to files.

import { nearLines, plainStyle, unicodeSigns } from "@ikigai/screen";
import { formulaText } from "@ikigai/screen/markdown";
import type { CallDescription, ChangedLine, CodePiece, ExportOptions, PastCall } from "@ikigai/session/export";
import { type FileChange, pastChange } from "../../render/call/file-change.ts";
import { describeCall, describeWhole } from "../../render/call/render-call.ts";
import { codePieces, type ToHtml } from "../components/highlight.ts";
import { cuts, languageOf, wordsOf } from "../components/paint-change.ts";
import { loadedRenderers, loadRenderers } from "../components/renderers.ts";

/** What an exported page has besides the session: the words of the screen, the colours of code, changes to files. */
export async function pageOptions(cwd: string): Promise<ExportOptions> {
  await loadRenderers();
  const toHtml = loadedRenderers()?.toHtml ?? (() => undefined);
  return {
    describe: (call) => describePast(call, cwd, toHtml),
    readCode: (code, language) => codePieces(toHtml, code, language),
    readFormula: formulaText,
  };
}

/** A page is wider than any terminal. */
const page = { style: plainStyle, signs: unicodeSigns, columns: 200 };

function describePast(call: PastCall, cwd: string, toHtml: ToHtml): CallDescription {
  const change = pastChange(call, cwd);
  const title = describeCall(call, page);
  const details = describeWhole(call.arguments);
  return {
    title,
    // A command alone is its title.
    details: details.replace(/^\w+: /, "") === title ? "" : details,
    ...(change && { change: changedRows(change, toHtml) }),
  };
}

function changedRows({ path, lines, isExcerpt }: FileChange, toHtml: ToHtml): ChangedLine[] {
  const near = nearLines(lines);
  const words = wordsOf(near.map(({ line }) => line));
  const code = { old: sideOf(lines, "+"), now: sideOf(lines, "-") };
  const read = (text: string) => codePieces(toHtml, text, languageOf(path));
  const pieces = { old: read(code.old.text), now: read(code.now.text) };
  return near.map(({ line, isAfterGap }, index) => {
    const side = line.sign === "-" ? "old" : "now";
    const own = pieces[side]?.[code[side].indexes.get(line) ?? -1] ?? [{ text: line.text }];
    const ranges = words.get(index) ?? [];
    return {
      sign: line.sign,
      pieces: marked(own, ranges),
      isAfterGap,
      ...(!isExcerpt && { number: line.number }),
    };
  });
}

/** One side of a change as a text, and where each line is in it. */
function sideOf(lines: FileChange["lines"], others: "+" | "-") {
  const own = lines.filter(({ sign }) => sign !== others);
  return { text: own.map(({ text }) => text).join("\n"), indexes: new Map(own.map((line, index) => [line, index])) };
}

/** The pieces of a line, cut where changed words begin and end. */
function marked(pieces: readonly CodePiece[], ranges: Parameters<typeof cuts>[2]): ChangedLine["pieces"] {
  let at = 0;
  return pieces.flatMap(({ text, ...kind }) => {
    const start = at;
    at += text.length;
    return [...cuts(start, at, ranges)].map((cut) => {
      return { ...kind, text: text.slice(cut.start - start, cut.end - start), isChanged: cut.isMarked };
    });
  });
}
