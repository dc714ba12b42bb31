declare const IKIGAI_VERSION: string;

/** The version of `@ikigai/cli`, which the build puts in. */
export const version: string = IKIGAI_VERSION;
