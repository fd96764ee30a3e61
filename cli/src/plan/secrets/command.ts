/** Commands as they go into a record: the value of an option is shown where it is known to hold no secret. Pure. */
import { hidden, MASK } from './mask';
import { isHarmlessParameter, withoutSecretParts } from './address';
import { isHarmlessVariable } from './variables';

/** Numbers, times, words of a list, names, files, and addresses, of which the secret parts are masked. */
const SHOWN = new Set(
  `
  after age allow arrivals at at-cpu at-once attempts back-off budget chart compose concurrency container-engine context continue cpu cpu-price csv
  database deploy-timeout drain duration every execution-size executions executions-per-day fail-on file find-budget for from from-execution full
  generator-cpus generator-image generators grafana group heap help host id-at image interval into keep-days kubeconfig max-clients max-open
  memory memory-price metric metrics-url mode n8n n8n-program name namespace out over pairs part pid plot port postgres-image precision prefix probe
  process profile prometheus prometheus-namespace prometheus-release prometheus-remote-write promise protect
  rate ready recover-age redis redis-image release request retries rules runners-image s3 save-on-error save-on-progress save-on-success seed since slo speed
  stand-in start-file steady stop-after tag target timeout tls-cert tls-key to top topology trigger tuning url values variant via via-address vus wait
  wait-for-quiet warmup webhooks within workers workflow workload write
  `
    .trim()
    .split(/\s+/)
    .map((name) => `--${name}`),
).add('-f');

/** Whose values are files and folders of this machine, which the user has to find again: no part of one is a token. */
const FILES = new Set(
  `
  chart compose continue csv database file from from-execution image into kubeconfig n8n-program out plot rules start-file tls-cert
  tls-key topology values workload write
  `
    .trim()
    .split(/\s+/)
    .map((name) => `--${name}`),
).add('-f');

/** An address, or a path with a query, is no file; a record of an archive, like results.jsonl.gz#cells/001/run, is one. */
const isFile = (text: string): boolean =>
  !/:\/\/|[?#@=]/.test(text.replace(/(?<=\.jsonl\.gz)#[\w./-]*$/, ''));

/** Which no value follows. */
const FLAGS = new Set(
  'all dry-run elsewhere existing json keep list keep-values no-control prove quick recover retry yes'
    .split(' ')
    .map((name) => `--${name}`),
);

/** What is shown of the value of each other option. */
const OF_OPTION: Record<string, (value: string) => string> = {
  '--begin': (value) => withoutSecretWords(value),
  '--body': (value) => (value.startsWith('@') ? value : hidden(value)),
  '--command': (value) => withoutSecretWords(value),
  '--end': (value) => withoutSecretWords(value),
  '--env': (value) => afterName(value, isHarmlessVariable),
  '--expect': (value) => expectation(value),
  '--header': (value) => (HARMLESS_HEADER.test(value) ? value : headerName(value)),
  '--proof': (value) => withoutSecretWords(value),
  '--stop-if': (value) => value.split(' ').map(withoutSecretParts).join(' '),
  '--param': (value) => afterName(value, isHarmlessParameter),
};

/** Headers that hold no secret; their values help to repeat a run. */
const HARMLESS_HEADER =
  /^(content-type|accept): ?[a-z*]+\/[a-z0-9.+*-]+(; ?charset=[a-z0-9-]+)?$|^connection: ?(close|keep-alive)$/i;

export const isShownOption = (option: string): boolean =>
  SHOWN.has(option) || Object.hasOwn(OF_OPTION, option);

/** The command as it goes into the record. */
export function withoutSecrets(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const [, option = '', value = ''] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    if (option !== '') return `${option}=${valueOf(option, value)}`;
    const before = words[index - 1] ?? '';
    if (!/^-/.test(before) || FLAGS.has(before) || before.includes('=')) {
      return /^-/.test(word) || isFile(word) ? word : withoutSecretParts(word);
    }
    return valueOf(before, word);
  });
}

function valueOf(option: string, value: string): string {
  if (FILES.has(option) && isFile(value)) return value;
  if (SHOWN.has(option)) return withoutSecretParts(value);
  return (
    OF_OPTION[option]?.(value) ?? (FLAGS.has(value) || SHOWN.has(value) ? value : hidden(value))
  );
}

function afterName(text: string, isHarmless: (name: string, value: string) => boolean): string {
  const [, name = '', value = ''] = /^([\w.-]+)=(.*)$/s.exec(text) ?? [];
  if (name === '') return hidden(text);
  return isHarmless(name, value) ? text : `${name}=${hidden(value)}`;
}

function headerName(text: string): string {
  const [, name = '', value = ''] = /^([\w-]+):\s*(.*)$/s.exec(text) ?? [];
  if (name === '') return hidden(text);
  // `Bearer x`: the token also stands without the word before it.
  for (const word of value.split(/\s+/)) hidden(word);
  return `${name}:${hidden(value)}`;
}

/** `status==200`, `json.ok==true`: where, and how it is compared. */
function expectation(text: string): string {
  const [, place = '', sign = '', value = ''] =
    /^([\w.[\]-]+)(==|!=|~|<=|>=|<|>)(.*)$/s.exec(text) ?? [];
  if (place === '') return hidden(text);
  const isShown = place === 'status' ? /^\d{3}$/.test(value) : /^(true|false|null)$/.test(value);
  return isShown ? text : `${place}${sign}${hidden(value.replace(/^"(.*)"$/s, '$1'))}`;
}

const PROGRAM = new Set(
  `
  aws az bash caddy chaosd curl docker env exec gcloud go haproxy helm iptables java kill kubectl nginx nft node npm npx patronictl
  pg_ctl php pkill pm2 podman psql python python3 redis-cli ruby service sh sleep ssh sudo systemctl tc
  `
    .trim()
    .split(/\s+/),
);
const SIGN = /^(-[a-zA-Z]|--[a-z][a-z-]*|\d{1,5}|\$[A-Z_]+|&&|;)$/;
const FILE = /^(\.{0,2}\/)?[\w.-]+(\/[\w.-]+)*\.([cm]?[jt]s|sh|py|rb|php|jar)$/;

/** A text for the shell: the program, files, names of options, numbers and variables. */
export const withoutSecretWords = (text: string): string =>
  text
    .trim()
    .split(/\s+/)
    .map((word) => {
      if (/^[A-Z][A-Z0-9_]*=/.test(word)) return afterName(word, isHarmlessVariable);
      return PROGRAM.has(word) || FILE.test(word) || SIGN.test(word) ? word : hidden(word);
    })
    .join(' ');

const SECRET_OPTION = /pass|secret|token|key|auth|cred|pwd|dsn|^-a$/i;
const NUMBER = /^\d+(\.\d+)?([a-zA-Z]{1,3}|%)?$/;
const PATH = /^\.{0,2}\/[\w@+.,/-]+$/;
const LISTENS = /^(\*|[\d.]+|localhost):\d{1,5}$/;

/**
 * What a process of somebody else runs, without what may be a secret: its program, its first word, names of options,
 * numbers, files and addresses. A text like `postgres: idle` is one that the process itself gives.
 */
export function shownProcess(line: string): string {
  const words = line.split(/\s+/).filter((word) => word !== '');
  if (/^[\w.-]+:$/.test(words[0] ?? '')) return withoutSecretParts(words.join(' '));
  return words.map((word, index) => shownWord(word, words.slice(0, index))).join(' ');
}

function shownWord(word: string, earlier: readonly string[]): string {
  const before = earlier.at(-1);
  if (before === undefined) return withoutSecretParts(word);
  const [, name = '', value = ''] = /^(-{0,2}[A-Za-z][\w.-]*)=(.*)$/s.exec(word) ?? [];
  if (name !== '') return `${name}=${shownValue(value, name)}`;
  if (/^-([a-zA-Z]?\d*|-[\w.-]*)$/.test(word)) return word;
  if (word.startsWith('-')) return `${word.slice(0, 2)}${MASK}`;
  if (before.startsWith('-')) return shownValue(word, before);
  const isFirst = earlier.length === 1 || isFileName(before);
  return isFirst && /^[a-z][a-z:-]*$/.test(word) ? word : shownValue(word, '');
}

function shownValue(word: string, option: string): string {
  if (SECRET_OPTION.test(option)) return MASK;
  if (word.includes('://')) return withoutSecretParts(word);
  return NUMBER.test(word) || LISTENS.test(word) || isFileName(word) ? word : MASK;
}

const isFileName = (word: string): boolean => FILE.test(word) || PATH.test(word);
