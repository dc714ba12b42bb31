export type MarkKind = "strong" | "em" | "del" | "sub" | "sup" | "code" | "link" | "none";

/** An open inline element. */
export interface Mark {
  readonly kind: MarkKind;
  /** The name of the element. */
  readonly name: string;
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
export function markOf(name: string, outer: Mark | undefined, url?: string): Mark {
  const wanted = kinds.get(name) ?? "none";
  const around = outer?.path ?? [];
  const isCode = around.at(-1)?.kind === "code";
  const counts =
    wanted !== "none" &&
    !around.some(({ kind }) => kind === wanted) &&
    (wanted === "link" ? url !== undefined : !isCode);
  const link = url === undefined ? {} : { url };
  if (!counts) return { kind: "none", name, path: around, ...link };
  const path = [...around];
  const mark: Mark = { kind: wanted, name, path, ...link };
  path.splice(isCode ? -1 : path.length, 0, mark);
  return mark;
}

/** The open inline elements of a page, the outermost first. */
export class OpenMarks {
  readonly #marks: Mark[] = [];

  get innermost(): Mark | undefined {
    return this.#marks.at(-1);
  }

  open(name: string, url?: string): void {
    this.#marks.push(markOf(name, this.innermost, url));
  }

  /**
   * Closes an element, which need not be the innermost. One that does not count changes nothing for those inside it. One that does is
   * the last of its name, so each mark is made again at most once for each name.
   */
  close(name: string): void {
    const index = this.#marks.findLastIndex((mark) => mark.name === name);
    if (index < 0) return;
    const [closed] = this.#marks.splice(index, 1);
    if (closed?.kind === "none") return;
    for (const [offset, inner] of this.#marks.slice(index).entries())
      this.#marks[index + offset] = markOf(inner.name, this.#marks[index + offset - 1], inner.url);
  }
}
