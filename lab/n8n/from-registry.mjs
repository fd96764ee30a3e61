// Installs a release of n8n for which the lab has no lock: node lab/n8n/from-registry.mjs VERSION FOLDER. What the registry does
// not have is replaced by the nearest version that is there, as an override in FOLDER/package.json, and a line says so.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

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

function versionsOf(name) {
  const { status, stdout } = npm(['view', name, 'versions', '--json'], '/');
  return status === 0 ? [JSON.parse(stdout)].flat() : [];
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

function install(version, folder) {
  const overrides = {};
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
if (script.endsWith('from-registry.mjs')) process.exitCode = install(version, folder) ? 0 : 1;
