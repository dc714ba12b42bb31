import type { DirectoryVisit } from "./glob.ts";

/** How much of a path is quoted, in characters. */
const maxQuotedLength = 80;

/** What may not be read is passed over as by `glob(3)`: that is no gap. */
const forbidden = new Set(["EACCES", "EPERM"]);

/** Ends a search when its time is up, and remembers what it could not look at. */
export class SearchGaps {
  readonly #isTimeUp: () => boolean;
  #unreadCount = 0;
  #firstUnread: DirectoryVisit | undefined;
  #stoppedIn: DirectoryVisit["path"] | undefined;

  constructor(isTimeUp: () => boolean) {
    this.#isTimeUp = isTimeUp;
  }

  /** For the options of `glob`. */
  readonly onDirectory = (visit: DirectoryVisit): boolean => {
    const { path, problem } = visit;
    if (problem !== undefined && !forbidden.has(problem)) {
      this.#unreadCount++;
      this.#firstUnread ??= visit;
    }
    if (this.#isTimeUp()) this.#stoppedIn = path;
    return this.#stoppedIn === undefined;
  };

  /** Whether its time was up before the search was. */
  get isStopped(): boolean {
    return this.#stoppedIn !== undefined;
  }

  /** One sentence each; none when the search looked everywhere. */
  describe(): string[] {
    return [
      ...(this.#stoppedIn === undefined
        ? []
        : [`The time was up in ${quotePath(this.#stoppedIn)}: narrow the search.`]),
      ...(this.#firstUnread === undefined ? [] : [this.#describeUnread(this.#firstUnread)]),
    ];
  }

  #describeUnread({ path, problem }: DirectoryVisit): string {
    const others = this.#unreadCount > 1 ? ` and ${this.#unreadCount - 1} more` : "";
    const reason =
      problem === "ENAMETOOLONG" ? "the path is too long for the system; search from a directory below" : problem;
    return `Not searched: ${quotePath(path)}${others} (${reason}).`;
  }
}

/** A path for a message, with the middle of a long one left out. */
export function quotePath(path: string | Buffer): string {
  const text = String(path) || ".";
  if (text.length <= maxQuotedLength) return `'${text}'`;
  const half = maxQuotedLength / 2;
  return `'${text.slice(0, half)}…${text.slice(-half)}'`.toWellFormed();
}
