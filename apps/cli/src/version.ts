declare const __VERSION__: string;

/** The version of `@ikigai/cli`, which the build puts in. */
export const version: string = __VERSION__;
