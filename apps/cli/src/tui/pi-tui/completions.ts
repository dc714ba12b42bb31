import type { AutocompleteItem, AutocompleteProvider } from "@earendil-works/pi-tui";

/** A possible completion. */
export interface Completion {
  /** The text that is inserted. */
  readonly value: string;
  /** The text that is shown, sanitised. */
  readonly label: string;
  readonly description?: string;
}

export interface Completions {
  readonly items: readonly Completion[];
  /** The text before the cursor that is replaced. */
  readonly prefix: string;
  /** The items complete a command, so that Enter also submits; otherwise it only inserts. */
  readonly isCommand?: true;
}

/** Completes the text before the cursor; `force`: the user has asked for it. */
export type Complete = (
  textBeforeCursor: string,
  isFirstLine: boolean,
  force: boolean,
) => Promise<Completions | undefined>;

/** The completions shown last. */
export interface Offer extends Pick<Completions, "isCommand"> {
  /** The text before the cursor that they are for. */
  readonly before: string;
}

/** Adapts our completions to pi-tui; `offered` receives what it shows. */
export function providerOf(complete: Complete, offered: (offer: Offer) => void): AutocompleteProvider {
  return {
    async getSuggestions(lines, cursorLine, cursorCol, { force = false, signal }) {
      const before = (lines[cursorLine] ?? "").slice(0, cursorCol);
      const found = await complete(before, cursorLine === 0, force);
      if (!found || found.items.length === 0 || signal.aborted) return null;
      offered({ before, ...(found.isCommand && { isCommand: true }) });
      const items: AutocompleteItem[] = found.items.map((item) => ({ ...item }));
      return { items, prefix: found.prefix };
    },
    applyCompletion(lines, cursorLine, cursorCol, { value }, prefix) {
      const line = lines[cursorLine] ?? "";
      const before = line.slice(0, cursorCol - prefix.length) + value;
      const changed = [...lines];
      changed[cursorLine] = before + line.slice(cursorCol);
      return { lines: changed, cursorLine, cursorCol: before.length };
    },
    shouldTriggerFileCompletion: () => true,
  };
}
