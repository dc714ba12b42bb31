/** The few characters beyond ASCII that we draw with. */
export interface Signs {
  readonly prompt: string;
  readonly goesOn: string;
  readonly call: string;
  readonly cut: string;
  readonly dot: string;
  readonly minus: string;
}

export const unicodeSigns: Signs = { prompt: "›", goesOn: "·", call: "●", cut: "…", dot: "·", minus: "−" };

export const asciiSigns: Signs = { prompt: ">", goesOn: ".", call: "*", cut: "...", dot: "-", minus: "-" };
