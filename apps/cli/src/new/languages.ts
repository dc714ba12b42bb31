import { packageFiles } from "@ikigai/create-tool";
import type { LanguageName } from "../args/commands.ts";
import type { NewToolName } from "./new-tool-name.ts";
import bashTest from "./templates/bash-test.txt";
import bashTool from "./templates/bash-tool.txt";
import goMain from "./templates/go-main.txt";
import goMod from "./templates/go-mod.txt";
import goTest from "./templates/go-test.txt";
import nodeTest from "./templates/node-test.txt";
import nodeTool from "./templates/node-tool.txt";
import pythonTest from "./templates/python-test.txt";
import pythonTool from "./templates/python-tool.txt";

/** How a tool begins in one language. */
export interface Language {
  /** The tool itself, where its source is what runs. */
  readonly script?: string;
  /** What lies in the folder beside the tool: its test, and its source if it has to be built. */
  files(name: NewToolName): Readonly<Record<string, string>>;
  /** The programs it needs to run, or to be built. */
  readonly needs: readonly string[];
  /** The commands that make the tool, in the folder. */
  readonly build?: readonly (readonly [string, ...string[]])[];
  /** The command that runs the test. */
  test(folder: string): string;
}

export const languages = {
  bash: {
    script: bashTool,
    files: () => ({ "test.sh": bashTest }),
    needs: ["bash", "jq"],
    test: (folder) => `${folder}/test.sh`,
  },
  python: {
    script: pythonTool,
    files: ({ name }) => ({ [`test_${name}.py`]: pythonTest }),
    needs: ["python3"],
    test: (folder) => `python3 -m unittest discover ${folder}`,
  },
  node: {
    script: nodeTool,
    files: ({ folder }) => ({ [`${folder}.test.mjs`]: nodeTest }),
    needs: ["node"],
    // Node 20 alone takes a folder as an argument.
    test: (folder) => `cd ${folder} && node --test`,
  },
  go: {
    files: () => ({ "main.go": goMain, "main_test.go": goTest, "go.mod": goMod }),
    needs: ["go"],
    // Go would ask git about the repository around it, which may not be the user's.
    build: [["go", "build", "-buildvcs=false", "-o", "../{{file}}", "."]],
    test: (folder) => `cd ${folder} && go test`,
  },
  typescript: {
    files: ({ name, file }) => packageFiles({ package: file, file, name }, { author: "the authors" }),
    needs: ["npm"],
    build: [
      ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
      ["npm", "run", "build"],
      ["ln", "-s", "{{folder}}/dist/{{file}}", "../{{file}}"],
    ],
    test: (folder) => `cd ${folder} && npm test`,
  },
} as const satisfies Readonly<Record<LanguageName, Language>>;
