// Installs a release of n8n for which the lab has no lock: node lab/n8n/from-registry.mjs VERSION FOLDER. What the registry does
// not have is replaced by the nearest version that is there, as an override in FOLDER/package.json, and a line says so.
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Each try finds the next package that is missing. */
const TRIES = 40;
const INSTALL = ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
/** An address outside the registry is not waited for. */
const PATIENCE = [
  '--fetch-retries=2',
  '--fetch-retry-mintimeout=500',
  '--fetch-retry-maxtimeout=5000',
];

/** What npm says it could not get: a package and the version or the range that was asked for; null: something else is wrong. */
export function missingIn(said) {
  const unmatched = /No matching version found for ((?:@[^/\s]+\/)?[^@\s]+)@(\S+?)\.?\s*$/m.exec(
    said,
  );
  if (unmatched !== null) return { name: unmatched[1], wanted: unmatched[2] };
  const unfound =
    /'((?:@[^/\s]+\/)?[^@\s']+)@([^']+)' (?:is not in this registry|could not be found)/.exec(said);
  if (unfound !== null) return { name: unfound[1], wanted: unfound[2] };
  const address = /https?:\/\/\S+?\.tgz/.exec(said)?.[0];
  return address === undefined ? null : packageOf(decodeURIComponent(address));
}

/** An archive of the registry (/@scope/name/-/name-1.2.3.tgz), or of a server of its own (/name-1.2.3.tgz). */
function packageOf(address) {
  const [, own, wanted] = /\/([^/]+?)-(\d+\.\d+\.\d+[^/]*)\.tgz$/.exec(address) ?? [];
  const name = /((?:@[^/]+\/)?[^/]+)\/-\//.exec(address)?.[1] ?? own;
  return name === undefined ? null : { name, wanted };
}

const numbers = (version) => version.split('.').map(Number);

function order(a, b) {
  const [left, right] = [numbers(a), numbers(b)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at === -1 ? 0 : left[at] - right[at];
}

/** The newest release up to the one that was wanted, or else the oldest after it; null: there is no other. */
export function nearest(wanted, there) {
  const bound = /\d+\.\d+\.\d+/.exec(wanted)?.[0];
  const releases = there.filter((version) => /^\d+\.\d+\.\d+$/.test(version)).sort(order);
  if (bound === undefined) return releases.at(-1) ?? null;
  const others = releases.filter((version) => version !== bound);
  return others.filter((version) => order(version, bound) < 0).at(-1) ?? others[0] ?? null;
}

const npm = (args, cwd) =>
  spawnSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

export function versionsOf(name) {
  const { status, stdout } = npm(['view', name, 'versions', '--json'], '/');
  return status === 0 ? [JSON.parse(stdout)].flat() : [];
}

const isOfN8n = (name) => /^(?:n8n|n8n-.+|@n8n(?:_io)?\/.+)$/.test(name);
/** More at once would keep both cores of a small machine busy. */
const AT_ONCE = 3;

/**
 * What n8n's own packages ask of each other and the registry does not have, with what is there instead: to ask for all of
 * them takes half a minute, and npm itself, which stops at the first that is missing, some minutes for each.
 */
export async function missingAmong(version, dependenciesOf, there) {
  const overrides = {};
  const known = new Set();
  let left = [['n8n', version]];
  while (left.length > 0) {
    const next = left.splice(0, AT_ONCE);
    const found = await Promise.all(next.map(([name, wanted]) => dependenciesOf(name, wanted)));
    for (const [index, dependencies] of found.entries()) {
      const [name, wanted] = next[index];
      const instead = dependencies === null && name !== 'n8n' ? nearest(wanted, there(name)) : null;
      if (instead !== null && overrides[name] === undefined) {
        overrides[name] = instead;
        left.push([name, instead]);
      }
      for (const asked of Object.entries(dependencies ?? {})) {
        if (!isOfN8n(asked[0]) || known.has(String(asked))) continue;
        known.add(String(asked));
        left.push(asked);
      }
    }
  }
  return overrides;
}

/** Null: the registry does not have this version. */
export async function dependenciesIn(name, version) {
  const args = ['view', `${name}@${version}`, 'dependencies', '--json'];
  try {
    const { stdout } = await promisify(execFile)('npm', args, { cwd: '/' });
    // For a range npm lists each version that fits.
    const [dependencies] = stdout.trim() === '' ? [{}] : [JSON.parse(stdout)].flat();
    return dependencies;
  } catch (error) {
    if (String(error.stderr).includes('E404')) return null;
    return {};
  }
}

/** Whether it is installed, with the overrides so far. */
function tryInstall(version, folder, overrides) {
  const content = {
    ...{ name: 'n8n-tuned-lab-n8n', private: true },
    description: `n8n ${version}; the overrides replace versions that the npm registry does not carry.`,
    ...{ dependencies: { n8n: version }, overrides },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(content, null, 2)}\n`);
  const { status, stderr } = npm([...INSTALL, ...PATIENCE], folder);
  if (status !== 0) process.stderr.write(stderr);
  return { isInstalled: status === 0, missing: missingIn(stderr) };
}

async function install(version, folder) {
  const overrides = await missingAmong(version, dependenciesIn, versionsOf);
  for (const [name, instead] of Object.entries(overrides)) {
    process.stderr.write(`the registry lacks a version of ${name}: ${instead} in its place\n`);
  }
  for (let left = TRIES; left > 0; left -= 1) {
    const { isInstalled, missing } = tryInstall(version, folder, overrides);
    if (isInstalled) return true;
    if (missing === null || missing.name === 'n8n') return false;
    const { name, wanted } = missing;
    const instead = nearest(overrides[name] ?? wanted, versionsOf(name));
    if (instead === null || instead === overrides[name]) return false;
    overrides[name] = instead;
    process.stderr.write(`the registry has no ${name} ${wanted}: ${instead} in its place\n`);
  }
  return false;
}

const [, script = '', version, folder] = process.argv;
if (script.endsWith('from-registry.mjs')) {
  void install(version, folder).then((isInstalled) => {
    process.exitCode = isInstalled ? 0 : 1;
  });
}
