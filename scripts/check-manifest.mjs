// The rules of a package's package.json.

const home = "https://github.com/ikigai-cli/ikigai";
const scriptsOnInstall = ["preinstall", "install", "postinstall", "prepare"];

/** Hands each rule that this package.json breaks to `report`. */
export function checkManifest(dir, folder, manifest, report) {
  const { name, version, private: isPrivate, license, engines, scripts = {} } = manifest;
  if (name !== `@ikigai/${folder}`) report(`is named ${name}, expected @ikigai/${folder}`);
  if (!version || license !== "MIT" || engines?.node !== ">=20.19") report("needs version, license MIT, engines");
  for (const script of scriptsOnInstall) if (scripts[script]) report(`has a ${script} script`);
  const { dependencies, devDependencies, peerDependencies } = manifest;
  for (const [dependency, range] of Object.entries({ ...dependencies, ...devDependencies, ...peerDependencies })) {
    if (!/^(catalog:\w*|workspace:\*)$/.test(range)) report(`${dependency} is "${range}", expected "catalog:"`);
  }
  if (manifest.exports) checkLibrary(manifest, report);
  if (!isPrivate) checkPublicFields(dir, manifest, report);
}

/** What bundlers and other programs that look at a package rely on. */
function checkLibrary({ sideEffects, exports: entries, publishConfig }, report) {
  if (sideEffects !== false) report('needs "sideEffects": false');
  for (const map of [entries, publishConfig?.exports ?? entries])
    if (map["./package.json"] !== "./package.json") report('needs "./package.json" in its exports');
}

/** What the registry shows, and what decides which files are published and as what. */
function checkPublicFields(dir, manifest, report) {
  const expected = {
    homepage: `${home}/tree/main/${dir}#readme`,
    bugs: `${home}/issues`,
    repository: { type: "git", url: `git+${home}.git`, directory: dir },
  };
  for (const [field, value] of Object.entries(expected)) {
    if (JSON.stringify(manifest[field]) !== JSON.stringify(value)) report(`"${field}" is not ${JSON.stringify(value)}`);
  }
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
