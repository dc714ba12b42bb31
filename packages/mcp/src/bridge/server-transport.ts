import type { AuthProvider, Transport } from "@modelcontextprotocol/client";

/** The way to one server. */
export interface OpenTransport {
  readonly transport: Transport;
  /** What explains its end, one sentence: what was wrong with it, or the line of its stderr that says why. May be empty. */
  readonly lastWords: () => string;
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
  /** Gives the access tokens, in place of those of a login. */
  readonly access?: AuthProvider | undefined;
}
