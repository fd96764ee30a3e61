// NetworkPolicies as rules of iptables, for a cluster of one node. Pure.
//
// Connections between pods pass the chain FORWARD, those from a pod to the node INPUT; Service addresses are translated
// before. What the node itself begins, such as a probe, is never filtered.

export const CHAIN = 'N8N-TUNED-POLICY';
const PROTOCOLS = { TCP: 'tcp', UDP: 'udp', SCTP: 'sctp' };

/** What one more call of iptables-restore --noflush needs: the chains of `before` that are not wanted any more go. */
export function restored({ policies, pods, namespaces }, before = []) {
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
const hasAddress = ({ spec, status }) =>
  spec.hostNetwork !== true &&
  Boolean(status.podIP) &&
  ['Pending', 'Running'].includes(status.phase);

const labelsByNamespace = (namespaces) => {
  const labels = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  return (name) => labels.get(name) ?? {};
};

/** A pod that no policy selects for a side lets everything pass on that side. */
function chainsOf(pod, policies, known) {
  const selecting = policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.metadata.namespace && selects(spec.podSelector, labels(pod)),
  );
  return [
    {
      side: 'Ingress',
      letter: 'I',
      of: `-d ${pod.status.podIP}`,
      rulesOf: ({ ingress }) => ingress,
    },
    { side: 'Egress', letter: 'E', of: `-s ${pod.status.podIP}`, rulesOf: ({ egress }) => egress },
  ].flatMap(({ side, letter, of, rulesOf }) => {
    const concerned = selecting.filter(({ spec }) => isAbout(spec, side));
    if (concerned.length === 0) return [];
    const lets = concerned.flatMap(({ metadata, spec }) =>
      (rulesOf(spec) ?? []).flatMap((rule) =>
        side === 'Ingress'
          ? product(
              peersOf(rule.from, metadata.namespace, known).map(({ address }) => `-s ${address}`),
              portsOf(rule.ports, [pod]),
            )
          : peersOf(rule.to, metadata.namespace, known).flatMap(({ address, pods }) =>
              product([`-d ${address}`], portsOf(rule.ports, pods)),
            ),
      ),
    );
    // Names of chains have 28 characters at the most.
    return [{ name: `N8NT-${letter}-${pod.status.podIP}`, of, lets: [...new Set(lets)] }];
  });
}

/** Where a policy names no types, it is about what comes in, and about what goes out if it has rules for that. */
const isAbout = ({ policyTypes, egress }, side) =>
  policyTypes?.includes(side) ?? (side === 'Ingress' || egress !== undefined);

/** Addresses with the pods behind them, by which names of ports are known. No peers are all. */
function peersOf(peers, own, { pods, labelsOf }) {
  if (peers === undefined || peers.length === 0) return [{ address: '0.0.0.0/0', pods }];
  return peers.flatMap(({ ipBlock, namespaceSelector, podSelector }) => {
    if (ipBlock !== undefined) {
      if (ipBlock.except?.length > 0) throw new Error('ipBlock.except is not enforced here');
      return [{ address: ipBlock.cidr, pods: [] }];
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

/** No ports are all. */
function portsOf(ports, pods) {
  if (ports === undefined || ports.length === 0) return [''];
  return ports.flatMap(({ port, endPort, protocol = 'TCP' }) => {
    const match = `-p ${PROTOCOLS[protocol]}`;
    if (port === undefined) return [match];
    const numbers = typeof port === 'number' ? [port] : namedIn(pods, port, protocol);
    return numbers.map(
      (number) => `${match} --dport ${number}${endPort === undefined ? '' : `:${endPort}`}`,
    );
  });
}

const namedIn = (pods, name, protocol) => [
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

const product = (addresses, ports) =>
  addresses.flatMap((address) => ports.map((port) => `${address} ${port}`.trim()));

const labels = ({ metadata }) => metadata.labels ?? {};

function selects({ matchLabels = {}, matchExpressions = [] }, of) {
  const holds = {
    Exists: (key) => key in of,
    DoesNotExist: (key) => !(key in of),
    In: (key, values) => key in of && values.includes(of[key]),
    NotIn: (key, values) => !(key in of) || !values.includes(of[key]),
  };
  return (
    Object.entries(matchLabels).every(([key, value]) => of[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => holds[operator](key, values))
  );
}
