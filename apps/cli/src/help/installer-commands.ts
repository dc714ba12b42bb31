import { fileURLToPath } from "node:url";

/** The commands of the package manager that installed ikigai. */
export interface InstallerCommands {
  readonly update: string;
  readonly remove: string;
}

/** Where each package manager puts what it installs. */
const installers: readonly (InstallerCommands & { readonly path: RegExp })[] = [
  {
    path: /\/\.pnpm\/|\/pnpm\/(?:global|store)\/|\/store\/v\d+\/links\//,
    update: "pnpm add -g @ikigai/cli@latest",
    remove: "pnpm remove -g @ikigai/cli",
  },
  {
    path: /\/yarn\/global\/node_modules\//,
    update: "yarn global add @ikigai/cli@latest",
    remove: "yarn global remove @ikigai/cli",
  },
  {
    path: /\/install\/global\/node_modules\//,
    update: "bun add -g @ikigai/cli@latest",
    remove: "bun remove -g @ikigai/cli",
  },
];

/** The commands for the copy with this file, by default the running one. If its path does not say who installed it: npm's. */
export function installerCommands(path = fileURLToPath(import.meta.url)): InstallerCommands {
  const found = installers.find((installer) => installer.path.test(path));
  return found ?? { update: "npm install -g @ikigai/cli@latest", remove: "npm uninstall -g @ikigai/cli" };
}
