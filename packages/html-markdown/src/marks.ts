export type MarkKind = "strong" | "em" | "del" | "sub" | "sup" | "code" | "link" | "none";

/** An open inline element, and those around it. */
export interface Mark {
  readonly kind: MarkKind;
  /** The name of the element. */
  readonly name: string;
  readonly parent: Mark | undefined;
  /** The marks that count, the outermost first; code is always the innermost, as nothing inside code is Markdown. */
  readonly path: readonly Mark[];
  readonly url?: string;
}

const kinds: ReadonlyMap<string, MarkKind> = new Map([
  ["a", "link"],
  ["b", "strong"],
  ["code", "code"],
  ["del", "del"],
  ["dt", "strong"],
  ["em", "em"],
  ["i", "em"],
  ["kbd", "code"],
  ["s", "del"],
  ["samp", "code"],
  ["strike", "del"],
  ["strong", "strong"],
  ["sub", "sub"],
  ["summary", "strong"],
  ["sup", "sup"],
  ["tt", "code"],
]);

/** The mark for an element inside others. A second one of a kind changes nothing, and neither does a link without a target. */
export function markOf(name: string, parent: Mark | undefined, url?: string): Mark {
  const wanted = kinds.get(name) ?? "none";
  const outer = parent?.path ?? [];
  const isCode = outer.at(-1)?.kind === "code";
  const counts =
    wanted !== "none" &&
    !outer.some(({ kind }) => kind === wanted) &&
    (wanted === "link" ? url !== undefined : !isCode);
  const path: Mark[] = [...outer];
  const mark: Mark = { kind: counts ? wanted : "none", name, parent, path, ...(url === undefined ? {} : { url }) };
  if (counts) path.splice(isCode ? -1 : path.length, 0, mark);
  return mark;
}

/** What is open after an element was closed, which need not be the innermost. */
export function withoutMark(mark: Mark | undefined, name: string): Mark | undefined {
  if (mark?.name === name) return mark.parent;
  const inner: Mark[] = [];
  let outer = mark;
  while (outer && outer.name !== name) {
    inner.push(outer);
    outer = outer.parent;
  }
  if (!outer) return mark;
  return inner.reduceRight<Mark | undefined>((parent, one) => markOf(one.name, parent, one.url), outer.parent);
}
