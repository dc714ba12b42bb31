import { inject } from "vitest";

// A run of all packages starts at the root, and each test file belongs where its package is.
process.chdir(inject("packageDir"));
