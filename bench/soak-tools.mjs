// Tools that fail in every way, as shell scripts, and the expected result of each.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How often each is called, what it does, and the code of its envelope ("ok" without one). */
export const faults = {
  good: { weight: 6, does: 'read -r line; printf \'{"got":%s}\' "$line"', codes: ["ok"] },
  long: { weight: 1, does: 'cat > /dev/null; printf \'{"text":"%0200000d"}\' 0', codes: ["ok"] },
  crash: { weight: 3, does: "echo oops >&2; exit 3", codes: ["TOOL_CRASHED"] },
  segfault: { weight: 1, does: "kill -SEGV $$", codes: ["TOOL_CRASHED"] },
  rubbish: { weight: 2, does: "printf '{\"a\":\\377'", codes: ["INVALID_OUTPUT"] },
  silent: { weight: 1, does: ":", codes: ["INVALID_OUTPUT"] },
  deaf: { weight: 2, does: "exec 0<&-; echo '{}'", codes: ["ok"] },
  hang: { weight: 1, does: "sleep 600", codes: ["TOOL_TIMEOUT"] },
  hush: { weight: 1, does: "exec 1>&- 2>&-; sleep 600", codes: ["TOOL_TIMEOUT"] },
  stopped: { weight: 1, does: "kill -STOP $$", codes: ["TOOL_TIMEOUT"] },
  stubborn: { weight: 0.05, does: "trap '' TERM; while :; do sleep 0.05; done", codes: ["TOOL_TIMEOUT"] },
  flood: { weight: 0.05, does: "exec yes", codes: ["OUTPUT_TOO_LARGE"] },
  noise: { weight: 1, does: "head -c 3000000 /dev/zero >&2; echo '{}'", codes: ["ok"] },
  grandchild: { weight: 1, does: "sleep 600 & echo '{}'", codes: ["ok"] },
  daemon: { weight: 1, does: "setsid sh -c 'sleep 600 &' > /dev/null 2>&1; echo '{}'", codes: ["ok"] },
  victim: { weight: 2, does: 'echo $$ > "$SOAK_DIR/$IKIGAI_CALL_ID"; sleep 600', codes: ["TOOL_CRASHED"] },
  interrupted: { weight: 2, does: "sleep 600", codes: ["TOOL_CANCELLED"] },
  gone: { weight: 1, does: ":", codes: ["TOOL_UNAVAILABLE"] },
  missing: { weight: 1, codes: ["TOOL_NOT_FOUND"] },
};

/** Writes the tools into a directory. */
export function writeTools(directory) {
  mkdirSync(directory, { recursive: true });
  for (const [name, { does }] of Object.entries(faults)) {
    if (does === undefined) continue;
    const schema = JSON.stringify({ name, description: "Fails", parameters: { type: "object", properties: {} } });
    const path = join(directory, `${name}-tool`);
    writeFileSync(path, `#!/bin/sh\nif [ "$1" = --schema ]; then echo '${schema}'; exit; fi\n${does}\n`);
    chmodSync(path, 0o755);
  }
}
