// @ts-check
// Installs a release of n8n for which the lab has no lock: node lab/n8n/from-registry.mjs VERSION FOLDER. What the registry does
// not have is replaced by the nearest version that is there, as an override in FOLDER/package.json, and a line says so.
//
// The lab installs its tools before npm ci has been run, so that no tsx is there: this file is JavaScript with checked types.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
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
  spawnSync('npm', args, {
    ...{ cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    env: process.env,
  });

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
 * @typedef {Record<string, string | Versions>} Overrides
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
 * @typedef {{ name: string, version: string, parent: string | null, asked: string, peer: string, range: string, has: string }} Unmet
 * @typedef {(version: string, name: string, range: string) => boolean} Satisfies
 */

/**
 * What the package at this place needs in another version than the one that it gets. A range takes the newest package, which
 * may need a newer library than this n8n pins. Null: nothing.
 * @param {Record<string, Locked>} locked
 * @param {string} place
 * @param {Satisfies} satisfies
 * @returns {Unmet | null}
 */
export function unmetPeer(locked, place, satisfies) {
  const { version = '', peerDependencies = {}, peerDependenciesMeta = {} } = locked[place] ?? {};
  const at = place.lastIndexOf('node_modules/');
  const name = place.slice(at + 'node_modules/'.length);
  const within = place.slice(0, at).replace(/\/$/, '');
  const asked = [within, ...Object.keys(locked)]
    .map((one) => locked[one]?.dependencies?.[name])
    .find((range) => range !== undefined && satisfies(version, name, range));
  if (asked === undefined) return null;
  for (const [peer, range] of Object.entries(peerDependencies)) {
    const has = placesOf(within, peer)
      .map((one) => locked[one]?.version)
      .find(Boolean);
    if (has === undefined || peerDependenciesMeta[peer]?.optional === true) continue;
    if (satisfies(has, peer, range)) continue;
    const parent = within === '' ? null : within.slice(within.lastIndexOf('node_modules/') + 13);
    return { ...{ name, version, parent, asked }, ...{ peer, range, has } };
  }
  return null;
}

/**
 * The places in which Node.js looks for a package, from the folder of another one upwards.
 * @param {string} within
 * @param {string} name
 * @returns {string[]}
 */
function placesOf(within, name) {
  if (within === '') return [`node_modules/${name}`];
  const above = within.slice(0, within.lastIndexOf('node_modules/')).replace(/\/$/, '');
  return [`${within}/node_modules/${name}`, ...placesOf(above, name)];
}

/**
 * Older releases, the newest first.
 * @param {string} version
 * @param {readonly string[]} there
 */
export const olderOf = (version, there) =>
  there
    .filter((one) => /^\d+\.\d+\.\d+$/.test(one) && order(one, version) < 0)
    .sort((a, b) => order(b, a));

/** @type {Map<string, string>} */
const known = new Map();

/**
 * @param {string} asked
 * @param {string} field
 */
function viewed(asked, field) {
  const words = ['view', asked, field, '--json'];
  const { status, stdout } = known.has(String(words))
    ? { status: 0, stdout: known.get(String(words)) ?? '' }
    : npm(words, '/');
  known.set(String(words), status === 0 ? stdout : '');
  return status === 0 && stdout.trim() !== '' ? JSON.parse(stdout) : null;
}

/** @type {Satisfies} */
const satisfies = (version, name, range) =>
  [viewed(`${name}@${range}`, 'version') ?? []].flat().includes(version);

const BIN = 'node_modules/n8n/bin/n8n';
const START =
  'require(require("node:path").resolve("node_modules/n8n/dist/commands/start.js"));process.exit()';
/** What n8n loads as it starts, and not before. */
const LATER = `
const { createRequire } = require("node:module");
const ofN8n = createRequire(require.resolve("./node_modules/n8n/package.json"));
const ofCore = createRequire(ofN8n.resolve("n8n-core"));
if ("@sentry/node" in (ofCore("n8n-core/package.json").dependencies ?? {})) ofCore("@sentry/node");`;

/**
 * @param {string} folder
 * @param {readonly string[]} args
 */
const node = (folder, args) =>
  spawnSync(process.env['N8N_NODE'] ?? process.execPath, args, {
    ...{ cwd: folder, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] },
    env: { ...process.env, N8N_USER_FOLDER: folder },
  });

/**
 * The place of the package that cannot be loaded, empty where none is seen; null: all of them load. n8n takes a command that it
 * cannot load for one that does not exist.
 * @param {string} folder
 */
function unloadable(folder) {
  const isCommand = node(folder, [BIN, 'start', '--help']).status === 0;
  const script = isCommand ? LATER : START;
  const { status, stderr } = node(folder, ['--stack-trace-limit=50', '-e', script]);
  if (isCommand && status === 0) return null;
  const within = `${realpathSync(folder)}/`;
  const frame = stderr.split('\n').find((line) => /^\s+at /.test(line) && line.includes(within));
  const path = frame?.slice(frame.indexOf(within) + within.length) ?? '';
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? '';
}

/**
 * The overrides with an older release of a package: of all of them, or of the one that its parent gets.
 * @param {Overrides} overrides
 * @param {Pick<Unmet, 'name' | 'parent'>} unmet
 * @param {string} older
 * @returns {Overrides}
 */
export function withOlder(overrides, { name, parent }, older) {
  if (parent === null) return { ...overrides, [name]: older };
  const before = overrides[parent] ?? {};
  // A parent that has a version of its own keeps it.
  const inside = typeof before === 'string' ? { '.': before } : before;
  return { ...overrides, [parent]: { ...inside, [name]: older } };
}

/**
 * Takes older releases of packages that do not load, one after the other, or installs what they need; whether n8n loads then.
 * @param {string} version
 * @param {string} folder
 * @param {Overrides} overrides
 */
export function refitted(version, folder, overrides) {
  let fitting = overrides;
  /** @type {Versions} */
  const added = {};
  for (let left = TRIES; left > 0; left -= 1) {
    const place = unloadable(folder);
    if (place === null) return true;
    const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
    const unmet = unmetPeer(packages, place, satisfies);
    if (unmet === null || added[unmet.peer] !== undefined) break;
    const { name, peer, range, has } = unmet;
    const older = olderFitting(unmet);
    // One that n8n asks for by its very version gets what it needs.
    const needed = older ?? [viewed(`${peer}@${range}`, 'version') ?? []].flat().at(-1);
    if (needed === undefined) break;
    process.stderr.write(
      `${name} ${unmet.version} does not fit to ${peer} ${has}: ${older ?? `${peer} ${needed}`} in its place\n`,
    );
    if (older === undefined) added[peer] = needed;
    else fitting = withOlder(fitting, unmet, older);
    if (!tryInstall(version, folder, fitting, added).isInstalled) break;
  }
  process.stderr.write(`n8n ${version} in ${folder} does not load\n`);
  return false;
}

/**
 * npm writes the version of a package whose dependencies are overridden too as that of ".".
 * @param {string | Versions | undefined} override
 * @param {string} name
 * @param {string} version
 * @returns {Versions}
 */
export const withNested = (override, name, version) => ({
  ...(typeof override === 'string' ? { '.': override } : override),
  [name]: version,
});

/** @param {Unmet} unmet */
const olderFitting = ({ name, version, asked, peer, has }) =>
  olderOf(version, versionsOf(name)).find((one) => {
    const range = (viewed(`${name}@${one}`, 'peerDependencies') ?? {})[peer];
    return satisfies(one, name, asked) && (range === undefined || satisfies(has, peer, range));
  });

/**
 * Whether it is installed, with the overrides so far.
 * @param {string} version
 * @param {string} folder
 * @param {Overrides} overrides
 * @param {Versions} added
 */
function tryInstall(version, folder, overrides, added = {}) {
  const content = {
    ...{ name: 'n8n-tuned-lab-n8n', private: true },
    description: `n8n ${version}; the overrides replace versions that the npm registry does not carry.`,
    ...{ dependencies: { n8n: version, ...added }, overrides },
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
    if (isInstalled) return refitted(version, folder, overrides);
    if (lacks === null || lacks.name === 'n8n') return false;
    const { name, wanted } = lacks;
    const instead = nearest(overrides[name] ?? wanted, versionsOf(name));
    if (instead === null || instead === overrides[name]) return false;
    overrides[name] = instead;
    process.stderr.write(`the registry has no ${name} ${wanted}: ${instead} in its place\n`);
  }
  return false;
}

const [, script = '', version = '', folder = ''] = process.argv;
if (script.endsWith('from-registry.mjs')) {
  void install(version, folder).then((isInstalled) => {
    process.exitCode = isInstalled ? 0 : 1;
  });
}
