#!/usr/bin/env node
// The first thing to run, written so that every Node can read it: an old one is told what is missing.
var version = process.versions.node.split(".").map(Number);
if (process.platform === "win32") {
  process.exitCode = 1;
} else if (version[0] < 20 || (version[0] === 20 && version[1] < 19)) {
  process.exitCode = 1;
} else {
  import("./main.js");
}
