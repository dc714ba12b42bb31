import type { AuthProvider, Transport } from "@modelcontextprotocol/client";

/** More than the largest answer that a host accepts (50 MiB), with room for the rest of the message. In bytes. */
export const maxMessageBytes = 64 * 1_048_576;

/** The way to one server. */
export interface OpenTransport {
  readonly transport: Transport;
  /** How it has ended: "exited", "exited with code 1", "was killed by SIGSEGV". */
  readonly howEnded: () => string;
  /** What explains its end, one sentence: what was wrong with it, or the line of its output that says why. May be empty. */
  readonly lastWords: () => string;
  /** Whether it has explained its end on stderr, or it is known what was wrong with it. */
  readonly isExplained: () => boolean;
  /** Whether it has ended without being asked to. */
  readonly hasDied: () => boolean;
  /** How long it took from its start to its first output, in milliseconds. */
  readonly startMs: () => number;
  /** Ends the server or the session. */
  readonly close: () => Promise<void>;
}

export interface TransportOptions {
  /** The version of ikigai. */
  readonly version: string;
  /** Gets what the server prints on stderr, in whole lines. */
  readonly log: (text: string) => void;
  /** Whether the user reads that right before the error, which then need not repeat it. */
  readonly isLogShown?: boolean | undefined;
  /** Gives the access tokens, in place of those of a login. */
  readonly access?: AuthProvider | undefined;
}
