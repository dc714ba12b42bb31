declare const IKIGAI_VERSION: string;

/** The version of `@ikigai/cli`, set by the build. */
export const version: string = IKIGAI_VERSION;
