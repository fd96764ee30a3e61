/** A user's Compose file with the recommended settings in it; everything else stays as it is. Pure. */
import { isMap, isScalar, isSeq, type Document, type YAMLMap, type YAMLSeq } from 'yaml';
import { kitEnvironment } from '../../plan/chart-values';
import {
  composeDocument,
  environmentIn,
  isN8nImage,
  noN8n,
  roleOf,
  wordsOf,
  type ServiceContent,
} from '../../plan/compose';
import { at } from '../../plan/environment';
import type { Role } from '../../plan/roles';
import type { Topology } from '../../plan/topology';
import { Mistake } from '../../ui/exit';
import { counted } from '../../ui/numbers';
import type { SizedRole, Sizing } from './analysis/sizing';
import { VALUES_HEAD, withoutHead } from './values';

export interface CorrectedCompose {
  text: string;
  /** What is another than it was, a line each. */
  changes: string[];
  /** What the measurement had otherwise and is the user's to decide, a line each. */
  left: string[];
}

/** They say what is kept and where, and not how fast n8n is: a recommendation does not decide them. */
const OF_THE_USER =
  /^(EXECUTIONS_|DB_TYPE$|N8N_DEFAULT_BINARY_DATA_MODE$|OFFLOAD_|N8N_DISABLE_UI$)/;
const NODE_OPTIONS = 'NODE_OPTIONS';

interface Service {
  name: string;
  role: Role;
  node: YAMLMap;
  /** The service as Compose reads it, with what `<<` and aliases bring. */
  content: ServiceContent;
}

/** `file` is for sentences about what is wrong in it. */
export function correctedCompose(text: string, file: string, best: Sizing): CorrectedCompose {
  const own = withoutHead(text);
  const document = composeDocument(own, file);
  const services = servicesOf(document, file);
  refuseOtherLayout(services, best, file);
  const changes: string[] = [];
  const left: string[] = [];
  for (const service of services) {
    const sized = best.roles.find(({ role }) => role === service.role);
    if (sized === undefined) continue;
    const told = (line: string): void => void changes.push(`${service.name}: ${line}`);
    const memoryMiB = sayMemory(document, service, sized, best, told);
    const env = environmentFor(service, best, memoryMiB);
    for (const line of sayEnvironment(document, service, env, told)) {
      left.push(`${service.name}: ${line}`);
    }
    if (service.role === 'worker') sayConcurrency(document, service, best, told);
    const same = services.filter(({ role }) => role === service.role).length;
    if (service.role !== 'main' && same === 1) sayReplicas(document, service, sized, file, told);
  }
  return { text: VALUES_HEAD + document.toString({ lineWidth: 0 }), changes, left };
}

function servicesOf(document: Document, file: string): Service[] {
  const all = document.get('services');
  if (!isMap(all)) {
    throw new Mistake(`${file} has no services: specify the Compose file that starts n8n.`);
  }
  const contents = (document.toJS() as { services: Record<string, ServiceContent | null> })
    .services;
  const found = Object.entries(contents).flatMap(([name, content]): Service[] => {
    const node = all.get(name);
    if (content === null || !isMap(node) || !isN8nImage(content.image)) return [];
    return [{ name, role: roleOf(content), node, content }];
  });
  if (!found.some(({ role }) => role === 'main')) {
    throw noN8n(file);
  }
  return found;
}

function refuseOtherLayout(services: readonly Service[], best: Sizing, file: string): void {
  const { mode } = best.evidence.topology;
  const needed = best.roles.map(({ role }) => role);
  const there = new Set(services.map(({ role }) => role));
  const missing = needed.find((role) => !there.has(role));
  if (missing !== undefined) {
    throw new Mistake(
      `the recommendation is ${mode} mode with a ${missing}, but ${file} has no service for the ${missing}: add a service with the command ${missing}, or search again without a ${missing}.`,
    );
  }
  const more = services.find(({ role }) => !needed.includes(role));
  if (more !== undefined) {
    throw new Mistake(
      `the recommendation is ${mode} mode without a ${more.role}, but ${file} has the service ${more.name}: search again with --mode queue, or remove that service.`,
    );
  }
}

/** If the tag is a version, its variables are those that this n8n knows. */
function versionOf({ content }: Service, { n8n }: Topology): string {
  return /:(\d+\.\d+\.\d+)$/.exec(String(content.image))?.[1] ?? n8n;
}

function environmentFor(
  service: Service,
  { evidence: { topology } }: Sizing,
  memoryMiB: number | null,
): Record<string, string> {
  const tuning = topology.tuning === 'none' ? 'default' : topology.tuning;
  const limits = memoryMiB === null ? {} : { memoryMiB };
  const { variables, options } = kitEnvironment(
    {
      ...{ ...topology, tuning, n8n: versionOf(service, topology) },
      main: { ...topology.main, ...limits },
      workers: { ...topology.workers, ...limits },
      webhooks: { ...topology.webhooks, ...limits },
    },
    service.role,
  );
  return { ...variables, ...(options.length === 0 ? {} : { [NODE_OPTIONS]: options.join(' ') }) };
}

/** The limit that the heaps are sized from; null: nothing is known of it. */
function sayMemory(
  document: Document,
  service: Service,
  { memoryMiB }: SizedRole,
  { evidence: { topology } }: Sizing,
  told: (line: string) => void,
): number | null {
  if (memoryMiB === null) return null;
  const { main, workers, webhooks } = topology;
  const measured = { main, worker: workers, webhook: webhooks }[service.role].memoryMiB ?? 0;
  const limit = Math.max(measured, memoryMiB);
  const isShort = service.content.mem_limit !== undefined;
  const path = isShort ? ['mem_limit'] : ['deploy', 'resources', 'limits', 'memory'];
  set(document, service, path, `${String(limit)}M`, 'memory limit', told);
  return limit;
}

/** What differs of what is the user's, a line each. */
function sayEnvironment(
  document: Document,
  service: Service,
  wanted: Readonly<Record<string, string>>,
  told: (line: string) => void,
): string[] {
  const there = environmentIn(service.content.environment);
  const ours: Record<string, string> = {};
  const left: string[] = [];
  for (const [name, value] of Object.entries(wanted)) {
    const before = there[name];
    if (OF_THE_USER.test(name)) {
      if (before !== undefined && before !== value) {
        left.push(`${name} stays ${before}, but the measurement used ${value}`);
      }
      continue;
    }
    const next = name === NODE_OPTIONS ? withOptions(before ?? '', value) : value;
    if (before === next) continue;
    ours[name] = next;
    told(before === undefined ? `${name} set to ${next}` : `${name} from ${before} to ${next}`);
  }
  if (Object.keys(ours).length > 0) writeEnvironment(document, service.node, there, ours);
  return left;
}

/** Ours, and theirs that have another name. */
function withOptions(before: string, ours: string): string {
  const nameOf = (option: string): string => option.replace(/=.*$/s, '').replaceAll('_', '-');
  const names = ours.split(' ').map(nameOf);
  const kept = before.split(/\s+/).filter((one) => one !== '' && !names.includes(nameOf(one)));
  return [...kept, ours].join(' ');
}

function writeEnvironment(
  document: Document,
  service: YAMLMap,
  there: Readonly<Record<string, string | undefined>>,
  ours: Readonly<Record<string, string>>,
): void {
  const own = service.get('environment', true) as unknown;
  if (isSeq(own)) {
    for (const [name, value] of Object.entries(ours)) setLine(own, name, `${name}=${value}`);
  } else if (isMap(own)) {
    for (const [name, value] of Object.entries(ours)) own.set(name, value);
  } else {
    // It is another service's too, by an alias or a merge, which is then not changed with it.
    const shared = Object.entries(there).map(([name, value]) => [name, value ?? null]);
    service.set('environment', document.createNode({ ...Object.fromEntries(shared), ...ours }));
  }
}

function setLine(list: YAMLSeq, name: string, line: string): void {
  const found = list.items.find(
    (item) => isScalar(item) && String(item.value).split('=')[0] === name,
  );
  if (isScalar(found)) found.value = line;
  else list.add(line);
}

/** Changes a worker's concurrency; everything else in its command stays. */
function sayConcurrency(
  document: Document,
  { node, content }: Service,
  { evidence: { topology } }: Sizing,
  told: (line: string) => void,
): void {
  const words = wordsOf(content.command);
  const option = `--concurrency=${String(topology.workers.concurrency)}`;
  const at = words.findIndex((word) => word.startsWith('--concurrency'));
  const next =
    at === -1
      ? [...words, option]
      : [
          ...words.slice(0, at),
          option,
          ...words.slice(words[at] === '--concurrency' ? at + 2 : at + 1),
        ];
  if (next.join(' ') === words.join(' ')) return;
  told(`command from ${words.join(' ')} to ${next.join(' ')}`);
  const asList = Array.isArray(content.command);
  node.set('command', document.createNode(asList ? next : next.join(' ')));
}

function sayReplicas(
  document: Document,
  service: Service,
  { instances }: SizedRole,
  file: string,
  told: (line: string) => void,
): void {
  const { name, content } = service;
  if (instances > 1 && content.container_name !== undefined) {
    throw new Mistake(
      `${file} sets container_name for ${name}, so the service cannot run ${counted(instances, 'time')}: remove that line.`,
    );
  }
  set(document, service, ['deploy', 'replicas'], instances, 'replicas', told);
}

function set(
  document: Document,
  { node, content }: Service,
  path: readonly string[],
  value: string | number,
  what: string,
  told: (line: string) => void,
): void {
  const [first = '', ...rest] = path;
  const before = at(content, path);
  if (before === value) return;
  told(
    before === undefined
      ? `${what} set to ${String(value)}`
      : `${what} from ${String(before as string | number)} to ${String(value)}`,
  );
  const shared = (content as Record<string, unknown>)[first];
  // What it has by an alias or a merge is another service's too.
  if (rest.length > 0 && shared !== undefined && !isMap(node.get(first, true))) {
    node.set(first, document.createNode(shared));
  }
  node.setIn(path, value);
}
