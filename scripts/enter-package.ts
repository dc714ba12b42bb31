import { inject } from "vitest";

// A run of all packages starts at the root, but each test file expects to be in its package.
process.chdir(inject("packageDir"));
