// The rules for the package.json of a package.

/** Pure code that runs on every system. All other packages start processes, or serve those that do. */
const portable = ["@ikigai/protocol", "@ikigai/posix"];
const scriptsOnInstall = ["preinstall", "install", "postinstall", "prepare"];

/** Passes each rule that this package.json breaks to `report`. */
export function checkManifest(folder, manifest, report) {
  const { name, version, private: isPrivate, license, engines, scripts = {}, bin = {} } = manifest;
  if (name !== `@ikigai/${folder}`) report(`is named ${name}, expected @ikigai/${folder}`);
  if (!version || license !== "MIT" || engines?.node !== ">=20.19") report("needs version, license MIT, engines");
  for (const script of scriptsOnInstall) if (scripts[script]) report(`has a ${script} script`);
  const isProgram = Object.values(bin).some((path) => path.startsWith("./dist/"));
  if (isProgram && !scripts.build?.endsWith(" && node ../../scripts/build-record.mjs"))
    report(
      'its build does not end with "&& node ../../scripts/build-record.mjs", by which tests know that it is current',
    );
  const { dependencies, devDependencies, peerDependencies } = manifest;
  for (const [dependency, range] of Object.entries({ ...dependencies, ...devDependencies, ...peerDependencies })) {
    if (!/^(catalog:\w*|workspace:\*)$/.test(range)) report(`${dependency} is "${range}", expected "catalog:"`);
  }
  if (manifest.exports) checkLibrary(manifest, report);
  if (!isPrivate) checkPublicFields(manifest, report);
}

/** Checks what bundlers and other programs rely on. */
function checkLibrary({ sideEffects, exports: entries, publishConfig }, report) {
  if (sideEffects !== false) report('needs "sideEffects": false');
  for (const map of [entries, publishConfig?.exports ?? entries])
    if (map["./package.json"] !== "./package.json") report('needs "./package.json" in its exports');
}

/** Checks what the registry shows, and which files are published and under which entries. */
function checkPublicFields(manifest, report) {
  for (const field of ["homepage", "bugs", "repository"])
    if (manifest[field]) report(`has "${field}", which .pnpmfile.mjs adds from the root's package.json`);
  if (!portable.includes(manifest.name) && manifest.os?.join() !== "linux,darwin")
    report('needs "os": ["linux", "darwin"]');
  const { description, keywords = [], files = [], exports: entries = {}, publishConfig = {} } = manifest;
  if (!description?.endsWith(".")) report("needs a description that is a sentence");
  if (keywords[0] !== "ikigai" || keywords.length < 3) report('needs "keywords": ["ikigai", …], three at least');
  if (!files.includes("dist")) report('needs "files": ["dist"]');
  if (publishConfig.access !== "public") report('needs "publishConfig": {"access": "public"}');
  for (const entry of Object.keys(entries).filter((name) => name !== "./package.json")) {
    const published = publishConfig.exports?.[entry];
    if (!published?.types || !published.default)
      report(`publishConfig.exports has no types and default for "${entry}"`);
  }
}
