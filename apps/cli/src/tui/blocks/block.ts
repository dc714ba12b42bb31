/** A part of the conversation while it can still change. */
export interface Block {
  /** Of what kind it is: blocks of different kinds stand apart. */
  readonly kind: "said" | "answer" | "call" | "note";
  /** The lines that will not change any more. Each is given once. */
  takeSettled(columns: number): readonly string[];
  /** The lines after those. */
  render(columns: number): readonly string[];
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
