/** What is given to the chart, and what it deploys. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { contradiction, type Topology } from '../../../plan/topology';
import { foreignWithoutSecrets } from '../../../plan/secrets/values';
import { chartFolder, loadChartFolder } from '../../../plan/environment';
import { readDeployed, recordedValues } from '../../chart/deployed';
import { renderChart } from '../../chart/render';
import { valuesOfTopology } from '../../../plan/chart-values';
import { merged } from '../../../plan/presets';
import { readPlainFile } from '../../../linux/plain-file';
import { startReaper } from '../../../linux/reaper';
import { Mistake } from '../../../ui/exit';
import { yamlFault } from '../../../ui/yaml-file';
import { neededHelm } from './helm';
import { linkedValues } from '../drill/links-in-values';
import { podProgram } from '../drill/program';

/** What a measurement needs, whatever else is asked for. */
const NEEDED = {
  // The namespace is for this alone, and the API server asks for the metrics as a proxy does.
  monitoring: { enabled: true, public: true },
};

export interface ValuesFiles {
  /** For Helm, the later ones over the earlier; `end` removes what is ours of them. */
  files: string[];
  /** Secrets taken out. */
  recorded: Record<string, unknown>;
  /** Null of a chart that is not ours. */
  topology: Topology | null;
  /** Beside n8n, in YAML: its workflows, and what puts them in. */
  beside: string;
  end(): void;
}

export interface ValuesOrder {
  /** Null: the values say it all. */
  topology: Topology | null;
  given: readonly { name: string; text: string }[];
  upstreamUrl: string | null;
  /** The user's own, which are not recorded: what is in them is theirs. */
  workflows: Record<string, string>;
  release: string;
  /** Put on every object of the chart; they are not recorded either. */
  labels: Record<string, string>;
  hasLinks: boolean;
  hasForgetfulRedis: boolean;
}

export function chosenValues(order: ValuesOrder): ValuesFiles {
  const { topology, given, upstreamUrl, workflows, labels } = order;
  const wrong = topology === null ? null : contradiction(topology);
  if (wrong !== null) throw new Mistake(`${wrong}.`);
  const own = topology === null ? {} : valuesOfTopology(topology);
  const forgetful = order.hasForgetfulRedis ? [WITHOUT_VOLUME] : [];
  const asked = [own, ...given.map(parsedValues), NEEDED, ...forgetful];
  const bare = asked.reduce<unknown>(merged, {});
  const { topology: deployed } = readDeployed(stringify(bare));
  const links = order.hasLinks ? [linksFor(bare, order.release)] : [];
  const all = [...asked, ...links];
  const values = links.reduce(merged, bare);
  const configMap = `${order.release}-load-targets`;
  const targets = parse(readPlainFile(join(loadChartFolder(), 'n8n/with-targets.yaml')));
  const placed = { pod: { beforeStart: { 'load-targets': { configMap } } } };
  const loadTargets = { configMap, workflows, ...(upstreamUrl === null ? {} : { upstreamUrl }) };
  return {
    ...written([...all, targets, { ...placed, commonLabels: labels }]),
    recorded: recordedValues(values),
    topology: deployed,
    beside: loadObjects({ n8nVersion: deployed.n8n, loadTargets }, order.release),
  };
}

/** What n8n-load makes for an n8n. */
function loadObjects(values: unknown, release: string): string {
  const manifests = renderChart(neededHelm(), loadChartFolder(), stringify(values), release);
  return manifests.map((manifest) => stringify(manifest)).join('---\n');
}

const WITHOUT_VOLUME = { redis: { own: { persistence: { enabled: false } } } };

function linksFor(values: unknown, release: string): unknown {
  const helm = neededHelm();
  const manifests = renderChart(helm, chartFolder(), stringify(values), release);
  return linkedValues(values, manifests, podProgram('pod-links'));
}

/** Values for a chart that is not ours, unchanged. */
export function foreignValues(given: readonly { name: string; text: string }[]): ValuesFiles {
  const all = given.map(parsedValues);
  const values = all.reduce<unknown>(merged, {});
  return {
    ...written(all),
    recorded: foreignWithoutSecrets(values) as Record<string, unknown>,
    topology: null,
    beside: '',
  };
}

function written(all: readonly unknown[]): Pick<ValuesFiles, 'files' | 'end'> {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-values-'));
  // Should the command be killed while Helm works, they go all the same.
  const reaper = startReaper();
  reaper.watchFolder(folder);
  return {
    files: all.map((content, index) => {
      const file = join(folder, `${String(index)}.yaml`);
      // It may hold passwords.
      writeFileSync(file, stringify(content), { mode: 0o600 });
      return file;
    }),
    end: () => {
      rmSync(folder, { recursive: true, force: true });
      void reaper.dismiss();
    },
  };
}

/** What values deploy, before anything is asked of a cluster. */
export const topologyOfValues = (given: readonly { name: string; text: string }[]): Topology =>
  readDeployed(stringify(given.map(parsedValues).reduce<unknown>(merged, {}))).topology;

function parsedValues({ name, text }: { name: string; text: string }): unknown {
  try {
    return parse(text) ?? {};
  } catch (error) {
    throw new Mistake(`${name} is not YAML: ${yamlFault(error)}`);
  }
}
