// @ts-check
// Installs a release of n8n for which the lab has no lock: node lab/n8n/from-registry.mjs VERSION FOLDER. What the registry does
// not have is replaced by the nearest version that is there, as an override in FOLDER/package.json, and a line says so.
//
// The lab installs its tools before npm ci has been run, so that no tsx is there: this file is JavaScript with checked types.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
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

/**
 * What npm says it could not get: a package and the version or the range that was asked for; null: something else is wrong.
 * @typedef {{ name: string, wanted: string }} Missing
 * @param {string} said
 * @returns {Missing | null}
 */
export function missingIn(said) {
  const unmatched = /No matching version found for ((?:@[^/\s]+\/)?[^@\s]+)@(\S+?)\.?\s*$/m.exec(
    said,
  );
  if (unmatched !== null) return missing(unmatched);
  const unfound =
    /'((?:@[^/\s]+\/)?[^@\s']+)@([^']+)' (?:is not in this registry|could not be found)/.exec(said);
  if (unfound !== null) return missing(unfound);
  const address = /https?:\/\/\S+?\.tgz/.exec(said)?.[0];
  return address === undefined ? null : packageOf(decodeURIComponent(address));
}

/** @param {RegExpExecArray} groups */
const missing = ([, name = '', wanted = '']) => ({ name, wanted });

/**
 * An archive of the registry (/@scope/name/-/name-1.2.3.tgz), or of a server of its own (/name-1.2.3.tgz).
 * @param {string} address
 * @returns {Missing | null}
 */
function packageOf(address) {
  const [, own, wanted] = /\/([^/]+?)-(\d+\.\d+\.\d+[^/]*)\.tgz$/.exec(address) ?? [];
  const name = /((?:@[^/]+\/)?[^/]+)\/-\//.exec(address)?.[1] ?? own;
  return name === undefined || wanted === undefined ? null : { name, wanted };
}

/** @param {string} version */
const numbers = (version) => version.split('.').map(Number);

/**
 * @param {string} a
 * @param {string} b
 */
function order(a, b) {
  const [left, right] = [numbers(a), numbers(b)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at === -1 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

/**
 * The newest release up to the one that was wanted, or else the oldest after it; null: there is no other.
 * @param {string} wanted
 * @param {readonly string[]} there
 */
export function nearest(wanted, there) {
  const bound = /\d+\.\d+\.\d+/.exec(wanted)?.[0];
  const releases = there.filter((version) => /^\d+\.\d+\.\d+$/.test(version)).sort(order);
  if (bound === undefined) return releases.at(-1) ?? null;
  const others = releases.filter((version) => version !== bound);
  return others.filter((version) => order(version, bound) < 0).at(-1) ?? others[0] ?? null;
}

/**
 * @param {readonly string[]} args
 * @param {string} cwd
 */
const npm = (args, cwd) =>
  spawnSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/**
 * @param {string} name
 * @returns {string[]}
 */
export function versionsOf(name) {
  const { status, stdout } = npm(['view', name, 'versions', '--json'], '/');
  return status === 0 ? [JSON.parse(stdout)].flat() : [];
}

/** @param {string} name */
const isOfN8n = (name) => /^(?:n8n|n8n-.+|@n8n(?:_io)?\/.+)$/.test(name);
/** More at once would keep both cores of a small machine busy. */
const AT_ONCE = 3;

/**
 * What n8n's own packages ask of each other and the registry does not have, with what is there instead: to ask for all of
 * them takes half a minute, and npm itself, which stops at the first that is missing, some minutes for each.
 * @typedef {Record<string, string>} Versions
 * @param {string} version
 * @param {(name: string, version: string) => Promise<Versions | null>} dependenciesOf
 * @param {(name: string) => readonly string[]} there
 */
export async function missingAmong(version, dependenciesOf, there) {
  /** @type {Versions} */
  const overrides = {};
  const known = new Set();
  /** @type {[name: string, wanted: string][]} */
  const left = [['n8n', version]];
  while (left.length > 0) {
    const found = await Promise.all(
      left.splice(0, AT_ONCE).map(async ([name, wanted]) => ({
        ...{ name, wanted },
        dependencies: await dependenciesOf(name, wanted),
      })),
    );
    for (const { name, wanted, dependencies } of found) {
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

/**
 * Null: the registry does not have this version.
 * @param {string} name
 * @param {string} version
 * @returns {Promise<Versions | null>}
 */
export async function dependenciesIn(name, version) {
  const args = ['view', `${name}@${version}`, 'dependencies', '--json'];
  try {
    const { stdout } = await promisify(execFile)('npm', args, { cwd: '/' });
    // For a range npm lists each version that fits.
    const [dependencies] = stdout.trim() === '' ? [{}] : [JSON.parse(stdout)].flat();
    return dependencies;
  } catch (error) {
    if (String(/** @type {{ stderr?: unknown }} */ (error).stderr).includes('E404')) return null;
    return {};
  }
}

/**
 * @typedef {{ version?: string, dependencies?: Versions, peerDependencies?: Versions, peerDependenciesMeta?: Record<string, { optional?: boolean }> }} Locked
 * @typedef {{ name: string, version: string, peer: string, range: string, has: string }} Unmet
 */

/**
 * Packages beside n8n that ask for another version of a package than the one beside them: a range takes the newest package,
 * which may need a newer library than this n8n pins. What is asked for by its exact version stays.
 * @param {Record<string, Locked>} locked
 * @param {(version: string, name: string, range: string) => boolean} satisfies
 * @returns {Unmet[]}
 */
export function unmetPeers(locked, satisfies) {
  const pinned = new Set(
    Object.values(locked).flatMap(({ dependencies = {} }) =>
      Object.entries(dependencies).map(String),
    ),
  );
  return Object.entries(locked).flatMap(([place, { version = '', ...of }]) => {
    const name = place.replace(/^node_modules\//, '');
    const isPinned = pinned.has(String([name, version]));
    if (place === '' || name.includes('node_modules/') || isPinned) return [];
    return Object.entries(of.peerDependencies ?? {}).flatMap(([peer, range]) => {
      const has = locked[`node_modules/${peer}`]?.version;
      const isAsked = has !== undefined && of.peerDependenciesMeta?.[peer]?.optional !== true;
      return isAsked && !satisfies(has, peer, range) ? [{ name, version, peer, range, has }] : [];
    });
  });
}

/**
 * Older releases of the same major version, the newest first.
 * @param {string} version
 * @param {readonly string[]} there
 */
export const olderOf = (version, there) =>
  there
    .filter((one) => /^\d+\.\d+\.\d+$/.test(one) && numbers(one)[0] === numbers(version)[0])
    .filter((one) => order(one, version) < 0)
    .sort((a, b) => order(b, a));

/**
 * @param {string} name
 * @param {string} range
 * @returns {string[]}
 */
function versionsIn(name, range) {
  const { status, stdout } = npm(['view', `${name}@${range}`, 'version', '--json'], '/');
  return status === 0 && stdout.trim() !== '' ? [JSON.parse(stdout)].flat() : [];
}

/**
 * @param {string} name
 * @param {string} version
 * @returns {Versions}
 */
function peersOf(name, version) {
  const { status, stdout } = npm(['view', `${name}@${version}`, 'peerDependencies', '--json'], '/');
  return status === 0 && stdout.trim() !== '' ? JSON.parse(stdout) : {};
}

/** n8n takes a command that it cannot load for one that does not exist. */
const loads = (/** @type {string} */ folder) =>
  spawnSync(process.env['N8N_NODE'] ?? process.execPath, [BIN, 'start', '--help'], {
    ...{ cwd: folder, stdio: 'ignore' },
    env: { ...process.env, N8N_USER_FOLDER: folder },
  }).status === 0;
const BIN = 'node_modules/n8n/bin/n8n';

/**
 * What to take in the place of packages that do not fit to those beside them.
 * @param {string} folder
 * @returns {Versions}
 */
function fitting(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  /** @type {Map<string, string[]>} */
  const known = new Map();
  /** @type {(version: string, name: string, range: string) => boolean} */
  const satisfies = (version, name, range) => {
    const asked = `${name}@${range}`;
    const versions = known.get(asked) ?? versionsIn(name, range);
    known.set(asked, versions);
    return versions.includes(version);
  };
  /** @type {Versions} */
  const instead = {};
  for (const { name, version, peer, has } of unmetPeers(packages, satisfies)) {
    const older = olderOf(instead[name] ?? version, versionsOf(name)).find((one) => {
      const range = peersOf(name, one)[peer];
      return range === undefined || satisfies(has, peer, range);
    });
    if (older !== undefined) instead[name] = older;
  }
  return instead;
}

/**
 * Whether it is installed, with the overrides so far.
 * @param {string} version
 * @param {string} folder
 * @param {Versions} overrides
 */
function tryInstall(version, folder, overrides) {
  const content = {
    ...{ name: 'n8n-tuned-lab-n8n', private: true },
    description: `n8n ${version}; the overrides replace versions that the npm registry does not carry.`,
    ...{ dependencies: { n8n: version }, overrides },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(content, null, 2)}\n`);
  const { status, stderr } = npm([...INSTALL, ...PATIENCE], folder);
  if (status !== 0) process.stderr.write(stderr);
  return { isInstalled: status === 0, lacks: missingIn(stderr) };
}

/**
 * @param {string} version
 * @param {string} folder
 */
async function install(version, folder) {
  const overrides = await missingAmong(version, dependenciesIn, versionsOf);
  for (const [name, instead] of Object.entries(overrides)) {
    process.stderr.write(`the registry lacks a version of ${name}: ${instead} in its place\n`);
  }
  for (let left = TRIES; left > 0; left -= 1) {
    const { isInstalled, lacks } = tryInstall(version, folder, overrides);
    if (isInstalled) return loads(folder) || refitted(version, folder, overrides);
    if (lacks === null || lacks.name === 'n8n') return false;
    const { name, wanted } = lacks;
    const instead = nearest(overrides[name] ?? wanted, versionsOf(name));
    if (instead === null || instead === overrides[name]) return false;
    overrides[name] = instead;
    process.stderr.write(`the registry has no ${name} ${wanted}: ${instead} in its place\n`);
  }
  return false;
}

/**
 * Installs it once more, without the packages that are too new for it; whether it loads then.
 * @param {string} version
 * @param {string} folder
 * @param {Versions} overrides
 */
function refitted(version, folder, overrides) {
  process.stderr.write(`n8n ${version} does not load: some packages are too new for it\n`);
  const instead = fitting(folder);
  for (const [name, older] of Object.entries(instead)) {
    process.stderr.write(`${name}: ${older} in its place\n`);
  }
  const { isInstalled } = tryInstall(version, folder, { ...overrides, ...instead });
  if (isInstalled && loads(folder)) return true;
  process.stderr.write(`n8n ${version} does not load: run ${BIN} start in its folder to see why\n`);
  return false;
}

const [, script = '', version = '', folder = ''] = process.argv;
if (script.endsWith('from-registry.mjs')) {
  void install(version, folder).then((isInstalled) => {
    process.exitCode = isInstalled ? 0 : 1;
  });
}
