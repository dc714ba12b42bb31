/** The few characters beyond ASCII that we draw with. */
export interface Signs {
  readonly prompt: string;
  readonly goesOn: string;
  readonly call: string;
  readonly cut: string;
  /** In the margin of a row that goes on with the line above. */
  readonly wrapped: string;
  readonly dot: string;
  readonly minus: string;
  /** Of a bar, what is done and what is left. */
  readonly full: string;
  readonly empty: string;
}

export const unicodeSigns: Signs = {
  prompt: "›",
  goesOn: "·",
  call: "●",
  cut: "…",
  wrapped: "↳",
  dot: "·",
  minus: "−",
  full: "█",
  empty: "░",
};

export const asciiSigns: Signs = {
  prompt: ">",
  goesOn: ".",
  call: "*",
  cut: "...",
  wrapped: "\\",
  dot: "-",
  minus: "-",
  full: "#",
  empty: ".",
};
