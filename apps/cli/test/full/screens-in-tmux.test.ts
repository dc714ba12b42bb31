// @module-tag sampled
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { some } from "../ikigai.ts";
import { perform, scenes } from "./screen-scenes.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

describe.skipIf(!hasTmux)("in tmux (needs tmux)", () => {
  test.each(some(5, scenes))("$title", async (scene) => {
    const directory = await tempDir();
    const config = join(directory, "tmux.conf");
    writeFileSync(config, "set -g status off\nset -g default-terminal tmux-256color\n");
    const server = ["-S", join(directory, "socket")];
    onTestFinished(() => {
      // It has ended if its only program has.
      spawnSync("tmux", [...server, "kill-server"]);
    });
    const within = ["tmux", "-u", ...server, "-f", config, "new-session"];
    const { terminal } = await perform(scene, { columns: 80, rows: 24 }, within);
    // What tmux itself shows, with its styles.
    const shown = execFileSync("tmux", [...server, "capture-pane", "-p", "-e"], { encoding: "utf8" });
    expect(terminal.screen().split("\n").length).toBeLessThanOrEqual(24);
    // The user's words, or the input, are set off, although tmux does not say what its background is.
    const readable = shown.replaceAll("\u001b", "␛");
    if (!terminal.screen().includes("q closes")) expect(readable).toMatch(/␛\[(?:0;)?1m(?:␛\[[\d;]*m)*› ?/);
  });
});
