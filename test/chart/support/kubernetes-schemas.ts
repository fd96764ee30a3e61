// JSON schemas of the kinds that the chart renders, from the API descriptions that the pinned Kubernetes, Gateway API and KEDA
// publish in Go modules; kubeconform's own would be a download.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { readVersions } from '../../../cli/src/lab/paths.ts';
import type { Manifest } from './helm.ts';

const run = promisify(execFile);

/** Definitions of other projects' kinds, in the Go modules from which the lab builds these projects. */
const CUSTOM = [
  {
    module: 'sigs.k8s.io/gateway-api',
    version: 'GATEWAY_API_VERSION',
    files: ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  },
  {
    module: 'github.com/kedacore/keda/v2',
    version: 'KEDA_VERSION',
    files: ['keda.sh_scaledobjects.yaml', 'keda.sh_triggerauthentications.yaml'].map(
      (file) => `config/crd/bases/${file}`,
    ),
  },
];

/** Kinds whose schemas belong to other projects, and are in none of these modules. */
export const FOREIGN_KINDS = [
  'ServiceMonitor',
  'PodMonitor',
  'PrometheusRule',
  'TestRun',
  'BackendConfig',
  'ExternalSecret',
  'GCPBackendPolicy',
  'HealthCheckPolicy',
];

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  format?: string;
  [key: string]: unknown;
}

export interface Schemas {
  kubeconformArguments(manifests: Manifest[], skip: string[]): string[];
  remove(): void;
}

export async function kubernetesSchemas(): Promise<Schemas> {
  const definitions = await readDefinitions();
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-schemas-'));
  for (const [name, schema] of Object.entries(definitions)) {
    const kinds = (schema['x-kubernetes-group-version-kind'] ?? []) as {
      group: string;
      version: string;
      kind: string;
    }[];
    const [only] = kinds;
    if (kinds.length !== 1 || only === undefined) continue;
    // kubeconform takes the version for the group of core kinds.
    const file = [only.kind, only.group || only.version, only.version].join('-').toLowerCase();
    writeFileSync(
      join(folder, `${file}.json`),
      JSON.stringify({ $ref: `#/definitions/${name}`, definitions: reachable(definitions, name) }),
    );
  }
  for (const { spec } of await customDefinitions()) {
    for (const { name, schema } of spec.versions) {
      const file = [spec.names.kind, spec.group, name].join('-').toLowerCase();
      writeFileSync(join(folder, `${file}.json`), JSON.stringify(strict(schema.openAPIV3Schema)));
    }
  }
  let count = 0;
  return {
    kubeconformArguments(manifests, skip) {
      const file = join(folder, `manifests-${(count += 1)}.yaml`);
      writeFileSync(
        file,
        manifests.map((manifest) => `---\n${JSON.stringify(manifest)}\n`).join(''),
      );
      const location = join(
        folder,
        '{{ .ResourceKind }}-{{ .Group }}-{{ .ResourceAPIVersion }}.json',
      );
      return ['-strict', '-summary', '-skip', skip.join(','), '-schema-location', location, file];
    },
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The folder of a Go module, downloaded if it is not there. */
async function folderOf(module: string, version: string): Promise<string> {
  const wanted = `${module}@${readVersions()[version] ?? ''}`;
  const { stdout } = await run('go', ['mod', 'download', '-json', wanted], { cwd: tmpdir() });
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

interface CustomDefinition {
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
  };
}
async function customDefinitions(): Promise<CustomDefinition[]> {
  const definitions: CustomDefinition[] = [];
  for (const { module, version, files } of CUSTOM) {
    const folder = await folderOf(module, version);
    for (const file of files)
      definitions.push(parse(readFileSync(join(folder, file), 'utf8')) as CustomDefinition);
  }
  return definitions;
}

async function readDefinitions(): Promise<Record<string, Schema>> {
  const folder = await folderOf('k8s.io/kubernetes', 'K8S_VERSION');
  const swagger = JSON.parse(
    readFileSync(join(folder, 'api/openapi-spec/swagger.json'), 'utf8'),
  ) as {
    definitions: Record<string, Schema>;
  };
  return Object.fromEntries(
    Object.entries(swagger.definitions).map(([name, schema]) => [name, strict(schema, name)]),
  );
}

/** Unknown fields refused; quantities and ports may be numbers, as the API server takes them. */
function strict(schema: Schema, name = ''): Schema {
  if (name.endsWith('.Quantity')) return { type: ['string', 'number'] };
  if (schema.format === 'int-or-string') return { type: ['string', 'integer'] };
  const copy: Schema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') {
      copy.properties = Object.fromEntries(
        Object.entries(value as Record<string, Schema>).map(([property, shape]) => [
          property,
          strict(shape),
        ]),
      );
      copy['additionalProperties'] = false;
    } else if ((key === 'items' || key === 'additionalProperties') && typeof value === 'object') {
      copy[key] = strict(value as Schema);
    } else if (key !== 'format') {
      copy[key] = value;
    }
  }
  return copy;
}

function reachable(definitions: Record<string, Schema>, start: string): Record<string, Schema> {
  const found: Record<string, Schema> = {};
  const queue = [start];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const schema = definitions[name];
    if (schema === undefined || name in found) continue;
    found[name] = schema;
    for (const [, next] of JSON.stringify(schema).matchAll(/#\/definitions\/([^"]+)/g))
      if (next !== undefined) queue.push(next);
  }
  return found;
}
