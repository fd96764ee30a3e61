// NetworkPolicies as rules of iptables, for a cluster of one node. Pure.
//
// Connections between pods pass the chain FORWARD, those from a pod to the node INPUT; Service addresses are translated
// before. What the node itself begins, such as a probe, is never filtered.

export const CHAIN = 'N8N-TUNED-POLICY';
const PROTOCOLS = { TCP: 'tcp', UDP: 'udp', SCTP: 'sctp' };
type Protocol = keyof typeof PROTOCOLS;

type Labels = Record<string, string>;
interface Selector {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: keyof typeof HOLDS; values?: string[] }[];
}
interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
  namespaceSelector?: Selector;
  podSelector?: Selector;
}
interface Port {
  port?: number | string;
  endPort?: number;
  protocol?: Protocol;
}
type Side = 'Ingress' | 'Egress';
interface PolicySpec {
  podSelector: Selector;
  policyTypes?: Side[];
  ingress?: { from?: Peer[]; ports?: Port[] }[];
  egress?: { to?: Peer[]; ports?: Port[] }[];
}
interface Container {
  ports?: { name?: string; containerPort: number; protocol?: Protocol }[];
}
interface Pod {
  metadata: { namespace: string; labels?: Labels };
  spec: { hostNetwork?: boolean; containers: Container[]; initContainers?: Container[] };
  status: { podIP?: string; phase: string };
}
type PodWithAddress = Pod & { status: { podIP: string } };

/** The lists that the API of Kubernetes gives. */
export interface Seen {
  policies: readonly { metadata: { namespace: string }; spec: PolicySpec }[];
  pods: readonly Pod[];
  namespaces: readonly { metadata: { name: string; labels?: Labels } }[];
}

export interface Restored {
  /** For iptables-restore. */
  text: string;
  /** The chains of pods in it. */
  names: string[];
}

interface Known {
  pods: PodWithAddress[];
  labelsOf: (namespace: string) => Labels;
}

/** What one more call of iptables-restore --noflush needs: the chains of `before` that are not wanted any more go. */
export function restored(
  { policies, pods, namespaces }: Seen,
  before: readonly string[] = [],
): Restored {
  const known = { pods: pods.filter(hasAddress), labelsOf: labelsByNamespace(namespaces) };
  const chains = known.pods.flatMap((pod) => chainsOf(pod, policies, known));
  const names = chains.map(({ name }) => name);
  const gone = before.filter((name) => !names.includes(name));
  const text = [
    '*filter',
    `:${CHAIN} - [0:0]`,
    ...[...names, ...gone].map((name) => `:${name} - [0:0]`),
    `-A ${CHAIN} -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN`,
    ...chains.map(({ name, of }) => `-A ${CHAIN} ${of} -j ${name}`),
    ...chains.flatMap(({ name, lets }) => [
      ...lets.map((match) => `-A ${name} ${match} -j RETURN`.replaceAll(/ +/g, ' ')),
      `-A ${name} -j DROP`,
    ]),
    ...gone.map((name) => `-X ${name}`),
    'COMMIT',
    '',
  ].join('\n');
  return { text, names };
}

/** A pod of the node's network has the node's address; one that has ended has given its own back. */
const hasAddress = (pod: Pod): pod is PodWithAddress =>
  pod.spec.hostNetwork !== true &&
  Boolean(pod.status.podIP) &&
  ['Pending', 'Running'].includes(pod.status.phase);

const labelsByNamespace = (namespaces: Seen['namespaces']): Known['labelsOf'] => {
  const labels = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  return (name) => labels.get(name) ?? {};
};

/** A pod that no policy selects for a side lets everything pass on that side. */
function chainsOf(
  pod: PodWithAddress,
  policies: Seen['policies'],
  known: Known,
): { name: string; of: string; lets: string[] }[] {
  const selecting = policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.metadata.namespace && selects(spec.podSelector, labels(pod)),
  );
  const sides: { side: Side; of: string; letsOf: (spec: PolicySpec, own: string) => string[] }[] = [
    {
      side: 'Ingress',
      of: `-d ${pod.status.podIP}`,
      letsOf: ({ ingress = [] }, own) =>
        ingress.flatMap(({ from, ports }) =>
          product(
            peersOf(from, own, known).map(({ address }) => `-s ${address}`),
            portsOf(ports, [pod]),
          ),
        ),
    },
    {
      side: 'Egress',
      of: `-s ${pod.status.podIP}`,
      letsOf: ({ egress = [] }, own) =>
        egress.flatMap(({ to, ports }) =>
          peersOf(to, own, known).flatMap(({ address, pods }) =>
            product([`-d ${address}`], portsOf(ports, pods)),
          ),
        ),
    },
  ];
  return sides.flatMap(({ side, of, letsOf }) => {
    const concerned = selecting.filter(({ spec }) => isAbout(spec, side));
    if (concerned.length === 0) return [];
    const lets = concerned.flatMap(({ metadata, spec }) => letsOf(spec, metadata.namespace));
    // Names of chains have 28 characters at the most.
    return [{ name: `N8NT-${side.slice(0, 1)}-${pod.status.podIP}`, of, lets: [...new Set(lets)] }];
  });
}

/** A policy that names no types is about what comes in, and about what goes out if it has rules for that. */
const isAbout = ({ policyTypes, egress }: PolicySpec, side: Side): boolean =>
  policyTypes?.includes(side) ?? (side === 'Ingress' || egress !== undefined);

/** Addresses with the pods behind them, by which names of ports are known. No peers are all. */
function peersOf(
  peers: Peer[] | undefined,
  own: string,
  { pods, labelsOf }: Known,
): { address: string; pods: Pod[] }[] {
  if (peers === undefined || peers.length === 0) return [{ address: '0.0.0.0/0', pods }];
  return peers.flatMap(({ ipBlock, namespaceSelector, podSelector }) => {
    if (ipBlock !== undefined) {
      // The rules are those of IPv4.
      if (ipBlock.cidr.includes(':')) return [];
      return without(ipBlock.cidr, ipBlock.except ?? []).map((address) => ({ address, pods: [] }));
    }
    return pods
      .filter((pod) => {
        const { namespace } = pod.metadata;
        const isThere =
          namespaceSelector === undefined
            ? namespace === own
            : selects(namespaceSelector, labelsOf(namespace));
        return isThere && selects(podSelector ?? {}, labels(pod));
      })
      .map((pod) => ({ address: pod.status.podIP, pods: [pod] }));
  });
}

interface Range {
  first: number;
  bits: number;
}

/** The blocks that are left of a block once others have been taken out of it. */
function without(block: string, excepted: readonly string[]): string[] {
  const { first, bits } = rangeOf(block);
  const inside = excepted.map(rangeOf).filter((one) => contains({ first, bits }, one));
  if (inside.length === 0) return [block];
  if (inside.some((one) => one.bits === bits)) return [];
  const half = 2 ** (31 - bits);
  return [first, first + half].flatMap((start) =>
    without(`${dotted(start)}/${String(bits + 1)}`, excepted),
  );
}

function rangeOf(block: string): Range {
  const [address = '', bits = '32'] = block.split('/');
  const first = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return { first, bits: Number(bits) };
}

const contains = (outer: Range, inner: Range): boolean =>
  inner.bits >= outer.bits &&
  inner.first >= outer.first &&
  inner.first < outer.first + 2 ** (32 - outer.bits);

const dotted = (number: number): string =>
  [24, 16, 8, 0].map((shift) => String(Math.floor(number / 2 ** shift) % 256)).join('.');

/** No ports are all. */
function portsOf(ports: Port[] | undefined, pods: readonly Pod[]): string[] {
  if (ports === undefined || ports.length === 0) return [''];
  return ports.flatMap(({ port, endPort, protocol = 'TCP' }) => {
    const match = `-p ${PROTOCOLS[protocol]}`;
    if (port === undefined) return [match];
    const numbers = typeof port === 'number' ? [port] : namedIn(pods, port, protocol);
    return numbers.map(
      (number) =>
        `${match} --dport ${String(number)}${endPort === undefined ? '' : `:${String(endPort)}`}`,
    );
  });
}

const namedIn = (pods: readonly Pod[], name: string, protocol: Protocol): number[] => [
  ...new Set(
    pods.flatMap(({ spec }) =>
      [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ ports = [] }) =>
        ports
          .filter((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)
          .map(({ containerPort }) => containerPort),
      ),
    ),
  ),
];

const product = (addresses: readonly string[], ports: readonly string[]): string[] =>
  addresses.flatMap((address) => ports.map((port) => `${address} ${port}`.trim()));

const labels = ({ metadata }: Pod): Labels => metadata.labels ?? {};

const HOLDS = {
  Exists: (value: string | undefined) => value !== undefined,
  DoesNotExist: (value: string | undefined) => value === undefined,
  In: (value: string | undefined, values: string[]) =>
    value !== undefined && values.includes(value),
  NotIn: (value: string | undefined, values: string[]) =>
    value === undefined || !values.includes(value),
};

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, of: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => of[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => HOLDS[operator](of[key], values))
  );
}
