import type { AutocompleteItem, AutocompleteProvider } from "@earendil-works/pi-tui";
import { isKey } from "./keys.ts";

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
  /** No item begins with the typed text: Enter takes one only if the user has moved to it. */
  readonly isLoose?: boolean;
  /** The typed text is the first item: Enter submits it unless the user has moved to another one. */
  readonly isWhole?: boolean;
}

/** Completes the text before the cursor; `force`: the user has asked for it. */
export type Complete = (
  textBeforeCursor: string,
  isFirstLine: boolean,
  force: boolean,
) => Promise<Completions | undefined>;

/** The completions shown last. */
export interface Offer extends Pick<Completions, "isCommand" | "isLoose" | "isWhole"> {
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
      const { isCommand, isLoose = false, isWhole = false } = found;
      offered({ before, isLoose, isWhole, ...(isCommand && { isCommand }) });
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

/** Follows what is offered, to decide what Enter and Tab do. */
export function followOffers() {
  let offer: Offer = { before: "" };
  /** Whether the user has moved in the list. */
  let hasMoved = false;
  return {
    take(shown: Offer): void {
      offer = shown;
    },
    /** The key that pi-tui needs before a typed one. @param before the text before the cursor; absent if no list is shown */
    keyBefore(typed: string, before: string | undefined): "tab" | "escape" | undefined {
      const isEnter = isKey(typed, "enter");
      // If typing is faster than the list, the typed text counts, not the outdated list.
      const isStale = offer.before !== before;
      if (isStale) hasMoved = false;
      if (before === undefined) return undefined;
      if (isStale) return isEnter || isKey(typed, "tab") ? "escape" : undefined;
      hasMoved ||= isKey(typed, "up", "down");
      if (!isEnter) return undefined;
      if ((offer.isLoose || offer.isWhole) && !hasMoved) return "escape";
      // pi-tui submits a command at once, but not a command with its argument.
      return offer.isCommand ? "tab" : undefined;
    },
  };
}
