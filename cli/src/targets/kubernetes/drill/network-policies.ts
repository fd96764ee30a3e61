/** Which NetworkPolicies keep the load generator from n8n, as far as policies alone can tell. Pure. */
import type {
  V1LabelSelector,
  V1NetworkPolicy,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
} from '../api/api-types';

type Labels = Readonly<Record<string, string>>;

export interface Passage {
  /** Both in the namespace of the policies. */
  namespace: string;
  from: Labels;
  to: Labels;
  /** Port of the pod to which the link leads. */
  port: number;
}

export interface Closed {
  side: 'ingress' | 'egress';
  /** All of them together allow too little. */
  policies: string[];
}

/** Null where a rule allows it, or may: addresses and names of ports are not looked up. */
export function closedBy(policies: readonly V1NetworkPolicy[], way: Passage): Closed | null {
  const into = policies.filter(
    ({ spec }) => isOf(spec, 'Ingress') && matches(spec?.podSelector, way.to),
  );
  const letsIn = into.some(({ spec }) =>
    spec?.ingress?.some((rule) => mayPass(rule._from, rule.ports, way.from, way)),
  );
  if (into.length > 0 && !letsIn) return { side: 'ingress', policies: namesOf(into) };
  const outOf = policies.filter(
    ({ spec }) => isOf(spec, 'Egress') && matches(spec?.podSelector, way.from),
  );
  const letsOut = outOf.some(({ spec }) =>
    spec?.egress?.some((rule) => mayPass(rule.to, rule.ports, way.to, way)),
  );
  if (outOf.length > 0 && !letsOut) return { side: 'egress', policies: namesOf(outOf) };
  return null;
}

/** One that names no types is about what comes in, and about what goes out where it has rules for that. */
const isOf = (spec: V1NetworkPolicy['spec'], type: 'Ingress' | 'Egress'): boolean =>
  spec?.policyTypes?.includes(type) ?? (type === 'Ingress' || spec?.egress !== undefined);

/** No peers are all, no ports are all. */
function mayPass(
  peers: readonly V1NetworkPolicyPeer[] | undefined,
  ports: readonly V1NetworkPolicyPort[] | undefined,
  other: Labels,
  { namespace, port }: Passage,
): boolean {
  const peerMay =
    peers === undefined ||
    peers.length === 0 ||
    peers.some((peer) => isPeer(peer, other, namespace));
  const portMay =
    ports === undefined || ports.length === 0 || ports.some((each) => isPort(each, port));
  return peerMay && portMay;
}

function isPeer(peer: V1NetworkPolicyPeer, other: Labels, namespace: string): boolean {
  if (peer.ipBlock !== undefined) return true;
  return (
    (peer.namespaceSelector === undefined || mayBe(peer.namespaceSelector, namespace)) &&
    matches(peer.podSelector, other)
  );
}

/** Whether a namespace may match; only its name is known. */
function mayBe(
  { matchLabels = {}, matchExpressions = [] }: V1LabelSelector,
  name: string,
): boolean {
  const known = { [NAME_OF_NAMESPACE]: name };
  const isKnown = (key: string): boolean => key === NAME_OF_NAMESPACE;
  return matches(
    {
      matchLabels: Object.fromEntries(Object.entries(matchLabels).filter(([key]) => isKnown(key))),
      matchExpressions: matchExpressions.filter(({ key }) => isKnown(key)),
    },
    known,
  );
}

const NAME_OF_NAMESPACE = 'kubernetes.io/metadata.name';

function isPort({ port, endPort, protocol = 'TCP' }: V1NetworkPolicyPort, wanted: number): boolean {
  if (protocol !== 'TCP') return false;
  // Names of ports are those of the pod.
  if (typeof port !== 'number') return true;
  return endPort === undefined ? port === wanted : port <= wanted && wanted <= endPort;
}

function matches(selector: V1LabelSelector | undefined, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      const isIn = value !== undefined && values.includes(value);
      return operator === 'In' ? isIn : !isIn;
    })
  );
}

const namesOf = (policies: readonly V1NetworkPolicy[]): string[] =>
  policies.map(({ metadata }) => metadata?.name ?? '');

/** In words, with what to do. */
export function closedText({ side, policies }: Closed, namespace: string, label: string): string {
  const one = policies.length === 1;
  const which = `${one ? 'The NetworkPolicy' : 'The NetworkPolicies'} ${policies.join(', ')} of the namespace ${namespace}`;
  return side === 'ingress'
    ? `${which} ${one ? 'does' : 'do'} not allow traffic from the load generator's pod to n8n: allow ingress from pods with the label ${label}.`
    : `${which} ${one ? 'does' : 'do'} not allow the load generator's pod to send traffic to n8n: allow egress from pods with the label ${label} to n8n and to the cluster's DNS.`;
}
