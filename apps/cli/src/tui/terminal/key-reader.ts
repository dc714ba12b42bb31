import { StringDecoder } from "node:string_decoder";
import { textStart } from "@ikigai/protocol";
import { exitCodes } from "../../host/exit-codes.ts";
import { shutdown } from "../../host/shutdown.ts";
import { splitKeys } from "../pi-tui/keys.ts";
import { createPasteFilter } from "./paste-filter.ts";

export interface KeyListener {
  key(typed: string): void;
  paste(text: string): void;
}

/** A longer paste is no message, in characters. */
const maxPasteLength = 1_048_576;

/** Reads the keys of the terminal, and what is pasted into it, until the function that is returned is called. */
export function readKeys({ key, paste }: KeyListener): () => void {
  const { stdin } = process;
  const decoder = new StringDecoder("utf8");
  const takeKeys = splitKeys(key);
  let isOpen = true;
  // Before the keys are split: pi-tui would end a paste at the first end mark, which may be part of a hostile text.
  const filter = createPasteFilter(({ text, isPaste }) => {
    if (!isOpen) return;
    if (isPaste) paste(textStart(text, maxPasteLength));
    else takeKeys(text);
  });
  const take = (chunk: Buffer) => filter(decoder.write(chunk));
  // The terminal is gone.
  const hangUp = () => isOpen && void shutdown(exitCodes.hangup);
  stdin.on("data", take).on("end", hangUp).on("error", hangUp);
  stdin.resume();
  return () => {
    isOpen = false;
    stdin.off("data", take).pause();
  };
}
