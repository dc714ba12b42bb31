// @module-tag sampled
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describeHost } from "@ikigai/testing/host";
import { test } from "vitest";
import { bin } from "./ikigai.ts";

// `ikigai tool call` is a host like any other. What it loads is in `ikigai tool list`, in another form.

const host = `#!/bin/sh
IKIGAI_TOOL_PATH=$1 exec "${bin}" tool call "$2" "$3"
`;

describeHost([join(await tempDir({ "host-tool": host }), "host-tool")], {
  test,
  skip: ["discovery/list", "plain/list", "slow/list"],
});
