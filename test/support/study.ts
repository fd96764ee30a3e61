import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { repositoryRoot } from '../../cli/src/lab/paths';

const run = promisify(execFile);
const root = repositoryRoot();
const studies = join(root, 'studies');
const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** The studies with a quick form that need a cluster, or those that do not. */
export const studiesThat = ({ needCluster }: { needCluster: boolean }): string[] =>
  readdirSync(studies).filter((name) => {
    const file = join(studies, name, 'study.yaml');
    if (!existsSync(file)) return false;
    const { needs = [], quick } = parse(readFileSync(file, 'utf8')) as {
      needs?: string[];
      quick?: object;
    };
    return quick !== undefined && needs.includes('cluster') === needCluster;
  });

/**
 * Repeats a study with --quick in a folder of its own: whether it ran to its end, and what crashed in it. What is measured
 * decides nothing: the machine may be busy.
 */
export async function quickly(name: string, ...within: string[]): Promise<object> {
  const out = mkdtempSync(join(tmpdir(), 'n8n-tuned-study-'));
  const args = ['cli/dist/cli.js', 'study', name, '--quick', '--json', '--out', out];
  const [command, ...rest] = [...within, process.execPath, ...args] as [string, ...string[]];
  try {
    const { stdout } = await run(command, rest, { cwd: root, maxBuffer: 2 ** 28 });
    const { missing } = JSON.parse(stdout) as { missing: string[] };
    const files = readdirSync(out, { recursive: true, encoding: 'utf8' });
    const crashed = files
      .filter((file) => file.endsWith('cell.json'))
      .map((file) => readJson(join(out, file)) as { id: string; outcome: string; sentence: string })
      .filter(({ outcome }) => outcome === 'crashed')
      .map(({ id, sentence }) => `${id}: ${sentence}`);
    return { isWhole: missing.length === 0, crashed };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
