// NetworkPolicies as rules of iptables: which packets the rules let through, as iptables would read them.
import { restored as restoredFrom, type Seen } from '../../lab/cluster/policies/rules';

interface Packet {
  from: string;
  to: string;
  port: number;
  protocol?: 'tcp' | 'udp';
}

const pod = (ip: string, namespace: string, labels: object, ports: object[] = []): object => ({
  metadata: { name: ip, namespace, labels },
  spec: { containers: [{ ports }] },
  status: { podIP: ip, phase: 'Running' },
});
const PODS = [
  pod('10.0.0.1', 'n8n', { app: 'main' }, [{ name: 'http', containerPort: 5678 }]),
  pod('10.0.0.2', 'n8n', { app: 'redis' }),
  pod('10.0.0.3', 'n8n', { app: 'worker' }, [{ name: 'http', containerPort: 5679 }]),
  pod('10.0.0.4', 'other', { app: 'worker' }),
];
const NAMESPACES = [
  { metadata: { name: 'n8n', labels: { team: 'a' } } },
  { metadata: { name: 'other', labels: { team: 'b' } } },
];
const policy = (spec: object, namespace = 'n8n'): object => ({ metadata: { namespace }, spec });

const restored = (policies: object[], before: string[] = []): { text: string; names: string[] } =>
  restoredFrom({ policies, pods: PODS, namespaces: NAMESPACES } as unknown as Seen, before);

/** Reads rules as iptables does: the first rule of a chain that matches decides. */
function passes(text: string, { from, to, port, protocol = 'tcp' }: Packet): boolean {
  const rules = text.split('\n').flatMap((line) => {
    const [, chain = '', match = '', target = ''] = /^-A (\S+)(.*) -j (\S+)$/.exec(line) ?? [];
    return chain === '' ? [] : [{ chain, match, target }];
  });
  const number = (address: string): number =>
    address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const isIn = (address: string, range: string): boolean => {
    const [first = '', bits = '32'] = range.split('/');
    const size = 2 ** (32 - Number(bits));
    return range === '' || Math.floor(number(address) / size) === Math.floor(number(first) / size);
  };
  const matches = (match: string): boolean => {
    if (match.includes('conntrack')) return false;
    const of = (flag: string): string => new RegExp(` ${flag} (\\S+)`).exec(match)?.[1] ?? '';
    const [min = '', max = min] = of('--dport').split(':');
    return (
      isIn(from, of('-s')) &&
      isIn(to, of('-d')) &&
      ['', protocol].includes(of('-p')) &&
      (min === '' || (Number(min) <= port && port <= Number(max)))
    );
  };
  const verdict = (chain: string): 'DROP' | 'RETURN' => {
    for (const rule of rules.filter((one) => one.chain === chain && matches(one.match))) {
      if (rule.target === 'DROP' || rule.target === 'RETURN') return rule.target;
      if (verdict(rule.target) === 'DROP') return 'DROP';
    }
    return 'RETURN';
  };
  return verdict('N8N-TUNED-POLICY') === 'RETURN';
}

const MAIN = '10.0.0.1';
const REDIS = '10.0.0.2';
const WORKER = '10.0.0.3';
const OTHER = '10.0.0.4';

test('without a policy everything passes, and a pod that one selects is closed on its side alone', () => {
  const way = { from: WORKER, to: REDIS, port: 6379 };
  expect(passes(restored([]).text, way)).toBe(true);
  const { text } = restored([policy({ podSelector: { matchLabels: { app: 'redis' } } })]);
  expect(passes(text, way)).toBe(false);
  expect(passes(text, { from: REDIS, to: WORKER, port: 5679 })).toBe(true);
  expect(passes(text, { from: OTHER, to: MAIN, port: 5678 })).toBe(true);
});

test('peers are pods of the own namespace, of chosen namespaces, or addresses; several policies add up', () => {
  const redis = { podSelector: { matchLabels: { app: 'redis' } } };
  const worker = { podSelector: { matchLabels: { app: 'worker' } } };
  const ports = [{ port: 6379 }];
  const own = restored([policy({ ...redis, ingress: [{ from: [worker], ports }] })]).text;
  expect(passes(own, { from: WORKER, to: REDIS, port: 6379 })).toBe(true);
  expect(passes(own, { from: WORKER, to: REDIS, port: 6380 })).toBe(false);
  expect(passes(own, { from: WORKER, to: REDIS, port: 6379, protocol: 'udp' })).toBe(false);
  expect(passes(own, { from: OTHER, to: REDIS, port: 6379 })).toBe(false);
  expect(passes(own, { from: MAIN, to: REDIS, port: 6379 })).toBe(false);
  const b = {
    namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['b'] }] },
  };
  const both = restored([
    policy({ ...redis, ingress: [{ from: [worker] }] }),
    policy({ ...redis, ingress: [{ from: [{ ...b, ...worker }] }] }),
  ]).text;
  expect(passes(both, { from: WORKER, to: REDIS, port: 1 })).toBe(true);
  expect(passes(both, { from: OTHER, to: REDIS, port: 1 })).toBe(true);
  expect(passes(both, { from: MAIN, to: REDIS, port: 1 })).toBe(false);
  const block = [{ from: [{ ipBlock: { cidr: MAIN } }] }];
  const address = restored([policy({ ...redis, ingress: block })]).text;
  expect(passes(address, { from: MAIN, to: REDIS, port: 1 })).toBe(true);
  expect(passes(address, { from: WORKER, to: REDIS, port: 1 })).toBe(false);
});

test('a block lets through what it has, but for what it leaves out', () => {
  const except = ['169.254.169.254/32', '10.1.0.0/16'];
  const to = [{ ipBlock: { cidr: '0.0.0.0/0', except } }, { ipBlock: { cidr: '::/0' } }];
  const worker = { podSelector: { matchLabels: { app: 'worker' } }, policyTypes: ['Egress'] };
  const { text } = restored([policy({ ...worker, egress: [{ to }] })]);
  const reaches = (address: string): boolean =>
    passes(text, { from: WORKER, to: address, port: 80 });
  expect(['169.254.169.254', '10.1.2.3'].filter(reaches)).toEqual([]);
  const others = ['169.254.169.253', '169.254.169.255', '10.0.0.1', '10.2.0.0', '1.1.1.1'];
  expect(others.filter(reaches)).toEqual(others);
});

test('what goes out needs a rule of its own, and names of ports are those of the pod that is reached', () => {
  const { text } = restored([
    policy({
      podSelector: { matchLabels: { app: 'worker' } },
      policyTypes: ['Egress'],
      egress: [
        { ports: [{ port: 53, protocol: 'UDP' }] },
        { to: [{ podSelector: {} }], ports: [{ port: 'http' }] },
      ],
    }),
  ]);
  expect(passes(text, { from: WORKER, to: '198.51.100.1', port: 53, protocol: 'udp' })).toBe(true);
  expect(passes(text, { from: WORKER, to: MAIN, port: 5678 })).toBe(true);
  expect(passes(text, { from: WORKER, to: MAIN, port: 5679 })).toBe(false);
  expect(passes(text, { from: WORKER, to: REDIS, port: 6379 })).toBe(false);
  expect(passes(text, { from: MAIN, to: WORKER, port: 5679 })).toBe(true);
});

test('chains that are not needed any more are removed after nothing leads to them', () => {
  const first = restored([policy({ podSelector: {} })]);
  expect(first.names).toHaveLength(3);
  for (const name of first.names) expect(name.length).toBeLessThanOrEqual(28);
  const { text, names } = restored([], first.names);
  expect(names).toEqual([]);
  const lines = text.split('\n');
  for (const name of first.names) {
    expect(lines.filter((line) => line.includes(name))).toEqual([`:${name} - [0:0]`, `-X ${name}`]);
  }
});
