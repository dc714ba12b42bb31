/** Columns and rows, as far as is known. Terminals that do not say have what terminals once had. */
export function sizeOfTerminal(): { columns: number; rows: number } {
  const { columns, rows } = process.stdout;
  return { columns: columns || 80, rows: rows || 24 };
}

/**
 * Asks the terminal for its size, and lets stdout say `resize` when it is another one.
 *
 * The signal that tells of it may still be on its way, and what is drawn for a size that the window has no more cannot be taken
 * back: nobody knows how many rows it takes.
 */
export function noticeSize(): void {
  // Node itself listens to the signal, and looks at the size then.
  process.emit("SIGWINCH", "SIGWINCH");
}
