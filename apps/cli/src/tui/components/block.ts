/** A part of the conversation while it can still change. */
export interface Block {
  /** Of what kind it is: blocks of different kinds stand apart. */
  readonly kind: "said" | "answer" | "call" | "note";
  /** The lines that will not change any more. Each is given once. */
  takeSettled(columns: number): readonly string[];
  /** The lines after those. A question takes no more than so many rows. */
  render(columns: number, rows: number): readonly string[];
  /** Whether it is the call that somebody is being asked about. */
  isAsked?(): boolean;
  isDone(): boolean;
}

/** A block that is what it is. */
export function fixedBlock(kind: Block["kind"], render: (columns: number) => readonly string[]): Block {
  let isTaken = false;
  return {
    kind,
    takeSettled(columns) {
      if (isTaken) return [];
      isTaken = true;
      return render(columns);
    },
    render: () => [],
    isDone: () => true,
  };
}
