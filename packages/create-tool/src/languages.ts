// The templates, by language, and the parts of the README that they share.

import type { LanguageName, ToolNames } from "./names.ts";
import bashTest from "./templates/bash/test.txt";
import bashTool from "./templates/bash/tool.txt";
import goMain from "./templates/go/main.txt";
import goMod from "./templates/go/mod.txt";
import goTest from "./templates/go/test.txt";
import nodeTest from "./templates/node/test.txt";
import nodeTool from "./templates/node/tool.txt";
import addAndCall from "./templates/package/add-and-call.txt";
import gitignore from "./templates/package/gitignore.txt";
import goWork from "./templates/package/go-work.txt";
import license from "./templates/package/license.txt";
import ownGitignore from "./templates/package/own-gitignore.txt";
import ownWork from "./templates/package/own-work.txt";
import readme from "./templates/package/readme.txt";
import run from "./templates/package/run.txt";
import scriptWork from "./templates/package/script-work.txt";
import typescriptWork from "./templates/package/typescript-work.txt";
import pythonTest from "./templates/python/test.txt";
import pythonTool from "./templates/python/tool.txt";
import tsMain from "./templates/typescript/main.txt";
import tsManifest from "./templates/typescript/package.txt";
import tsSchema from "./templates/typescript/schema.txt";
import tsTest from "./templates/typescript/test.txt";
import tsTool from "./templates/typescript/tool.txt";
import tsconfig from "./templates/typescript/tsconfig.txt";

/** File contents by path, with `{{…}}` placeholders. */
export type Templates = Readonly<Record<string, string>>;

/** The template of a tool in one language. */
export interface Language {
  /** The executable, unless it has to be built, and the folder beside it: tests, and the source if there is a build. */
  tool(names: ToolNames): Templates;
  /** The programs needed to build or run it. */
  readonly needs: readonly string[];
  /** The build commands, run in the folder. */
  readonly build?: readonly (readonly [string, ...string[]])[];
  /** The test command. `folder` is a word of a command line, so quoted if needed. */
  test(folder: string): string;
  /** What does not stay in a project, whose files all have to be trusted: fetched for the build, not needed afterwards. */
  readonly fetched?: {
    /** The command that removes it, run in the folder. */
    readonly removal: readonly [string, ...string[]];
    /** The test command, which leaves the folder as it was. */
    test(folder: string): string;
  };
  /** The "Development" section of the README of its package. */
  readonly work: string;
  /** The files of its package, if it needs more than the tool and a package.json. */
  package?(names: ToolNames): Templates;
}

/** The files that every package has. */
export const aroundPackage: Templates = { ".gitignore": gitignore, LICENSE: license, "README.md": readme };

function typescriptPackage({ file }: ToolNames): Templates {
  return {
    ...aroundPackage,
    "package.json": tsManifest,
    "tsconfig.json": tsconfig,
    "src/main.ts": tsMain,
    "src/schema.ts": tsSchema,
    "src/tool.ts": tsTool,
    [`test/${file}.test.ts`]: tsTest,
  };
}

/** The parts of a README that tell how to use and to develop a tool. */
export interface ReadmeParts {
  readonly use: string;
  readonly work: string;
}

/** The parts for a tool without a package: it is in use already, and not published. */
export const ownReadme: ReadmeParts = { use: run, work: ownWork };

/** The parts for a package. */
export function packageReadme({ work }: Language): ReadmeParts {
  return { use: addAndCall, work };
}

/** The template of each language. */
export const languages: Readonly<Record<LanguageName, Language>> = {
  bash: {
    tool: ({ file, folder }) => ({ [file]: bashTool, [`${folder}/test.sh`]: bashTest }),
    needs: ["bash", "jq"],
    test: (folder) => `${folder}/test.sh`,
    work: scriptWork,
  },
  python: {
    tool: ({ file, folder, name }) => ({ [file]: pythonTool, [`${folder}/test_${name}.py`]: pythonTest }),
    needs: ["python3"],
    test: (folder) => `python3 -B -m unittest discover ${folder}`,
    work: scriptWork,
  },
  node: {
    tool: ({ file, folder }) => ({ [file]: nodeTool, [`${folder}/${folder}.test.mjs`]: nodeTest }),
    needs: ["node"],
    // Only Node 20 accepts a folder as an argument.
    test: (folder) => `cd ${folder} && node --test`,
    work: scriptWork,
  },
  go: {
    tool: ({ folder }) => ({
      [`${folder}/main.go`]: goMain,
      [`${folder}/main_test.go`]: goTest,
      [`${folder}/go.mod`]: goMod,
    }),
    needs: ["go"],
    // Go would otherwise ask git about the surrounding repository, which git may refuse to read.
    build: [["go", "build", "-buildvcs=false", "-o", "../{{file}}", "."]],
    test: (folder) => `cd ${folder} && go test`,
    work: goWork,
  },
  typescript: {
    tool: (names) =>
      Object.fromEntries(
        Object.entries({ ...typescriptPackage(names), ".gitignore": ownGitignore }).map(([path, text]) => [
          `${names.folder}/${path}`,
          text,
        ]),
      ),
    needs: ["npm"],
    build: [
      ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
      ["npm", "run", "build"],
      ["ln", "-s", "{{folder}}/dist/{{file}}", "../{{file}}"],
    ],
    test: (folder) => `cd ${folder} && npm test`,
    fetched: {
      removal: ["rm", "-r", "node_modules"],
      test: (folder) => `cd ${folder} && npm ci --ignore-scripts && npm test && rm -r node_modules`,
    },
    work: typescriptWork,
    package: typescriptPackage,
  },
};
