/** File contents by path. */
type Files = Readonly<Record<string, string>>;

/** See `scaffold.ts`. */
declare const IKIGAI_TEMPLATE_VERSIONS: string;

/** The libraries that a TypeScript tool uses, and what they depend on. */
const libraries = ["protocol", "testing", "tool-sdk"];

/** The folder of the packed libraries in that of the tool. */
const packedFolder = "packages";

/** The command that packs the libraries of a clone into the folder of a tool. */
export function packing(clone: string): readonly string[] {
  return ["node", `${clone}/scripts/pack-libraries.mjs`, packedFolder, ...libraries];
}

/** The files of a tool whose package.json, if it has one, names the packed libraries instead of their versions in the registry. */
export function withPackedLibraries(files: Files, manifestPath: string): Files {
  const text = files[manifestPath];
  if (text === undefined) return files;
  const manifest = JSON.parse(text);
  const version = JSON.parse(IKIGAI_TEMPLATE_VERSIONS)["@ikigai/tool-sdk"];
  const packed = libraries.map((name) => [`@ikigai/${name}`, `file:${packedFolder}/ikigai-${name}-${version}.tgz`]);
  const devDependencies = { ...Object.fromEntries(packed), ...withoutOurs(manifest.devDependencies) };
  return { ...files, [manifestPath]: `${JSON.stringify({ ...manifest, devDependencies }, undefined, 2)}\n` };
}

function withoutOurs(dependencies: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => !name.startsWith("@ikigai/")));
}
