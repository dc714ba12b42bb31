// How the terminal takes images: known from its environment, or asked when the first image comes.

import type { ImageProtocol } from "./image-sequence.ts";

/** Finds out, when the first image comes, how the terminal takes images. */
export interface ImageTerminal {
  /** Returns the terminal's protocol; `undefined` if it has none, or does not answer. Asks once. */
  protocol(): Promise<ImageProtocol | undefined>;
  /** Takes the terminal's answer; false if the input is something else. */
  take(typed: string): boolean;
}

export interface ImageTerminalOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether only ASCII is drawn: then there are no images either. */
  readonly isAscii: boolean;
  /** Writes to the terminal, when no other program has it. */
  readonly ask: (question: string) => Promise<void>;
}

/** How long a terminal has for its answer, in milliseconds: over a slow line, too. Every known one answers. */
const answerMs = 1_000;

/** Asks for kitty's protocol with an image of one pixel that is not drawn, then for what every terminal answers. */
const question = "\u001b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u001b\\\u001b[c";

const graphicsAnswer = "\u001b_G";
const graphicsOk = "\u001b_Gi=31;OK";
// biome-ignore lint/suspicious/noControlCharactersInRegex: the answer of a terminal
const attributesAnswer = /^\u001b\[\?[\d;]*c$/;

export function createImageTerminal({ env, isAscii, ask }: ImageTerminalOptions): ImageTerminal {
  let found: Promise<ImageProtocol | undefined> | undefined;
  let answer: (protocol: ImageProtocol | undefined) => void = () => {};
  const askTerminal = async () => {
    const answered = new Promise<ImageProtocol | undefined>((settle) => {
      answer = settle;
    });
    await ask(question);
    const timer = setTimeout(() => answer(undefined), answerMs);
    const protocol = await answered;
    clearTimeout(timer);
    return protocol;
  };
  return {
    protocol() {
      const known = isAscii ? "none" : protocolOf(env);
      found ??= known === "ask" ? askTerminal() : Promise.resolve(known === "none" ? undefined : known);
      return found;
    },
    take(typed) {
      if (typed.startsWith(graphicsAnswer)) answer(typed.startsWith(graphicsOk) ? "kitty" : undefined);
      else if (attributesAnswer.test(typed)) answer(undefined);
      else return false;
      return true;
    },
  };
}

/** Terminals with the protocol of iTerm2. */
const itermPrograms = ["iTerm.app", "WezTerm", "mintty"];

/** What is known without asking. Programs between ikigai and the terminal do not pass images on, and some terminals print the question. */
function protocolOf({
  TERM = "",
  TERM_PROGRAM,
  LC_TERMINAL,
  TMUX,
  STY,
}: ImageTerminalOptions["env"]): ImageProtocol | "none" | "ask" {
  if (TMUX || STY || /^(?:screen|tmux|linux|dumb)/.test(TERM) || TERM_PROGRAM === "Apple_Terminal") return "none";
  const isIterm = TERM_PROGRAM ? itermPrograms.includes(TERM_PROGRAM) : LC_TERMINAL === "iTerm2";
  return isIterm ? "iterm2" : "ask";
}
