import type { Server } from './server';
import type { Topology } from './topology';

/** Options whose value may hold a credential. */
const SECRET_OPTIONS = ['--header', '--body', '--env', '--api-key'];
const SECRET_NAME = /KEY|SECRET|PASSWORD|PASSPHRASE|PASS$|TOKEN|CREDENTIAL/i;
/** Headers that hold none; like harmless variables, their values help to repeat a run. */
const HARMLESS_HEADER = /^(content-type|accept|user-agent):/i;

const MASK = '***';

/** The command as it goes into the record. */
export function withoutSecrets(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const [option = '', ...rest] = word.split('=');
    if (word.startsWith('--') && rest.length > 0 && SECRET_OPTIONS.includes(option)) {
      return `${option}=${withoutSecret(option, rest.join('='))}`;
    }
    const before = words[index - 1] ?? '';
    if (SECRET_OPTIONS.includes(before)) return withoutSecret(before, word);
    return withoutSecretParts(word);
  });
}

function withoutSecret(option: string, value: string): string {
  if (option === '--body') return value.startsWith('@') ? value : MASK;
  if (option === '--header' && HARMLESS_HEADER.test(value)) return value;
  const [, name = '', sign = '', rest = ''] = /^([\w-]+)([:=])(.*)$/s.exec(value) ?? [];
  return `${name}${sign}${option === '--env' && sign === '=' ? valueOf(name, rest) : MASK}`;
}

export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

const valueOf = (variable: string, value: string): string =>
  isSecretName(variable) ? MASK : withoutSecretParts(value);

/** A masked value tells that there was one; it is never a value to deploy or to start n8n with. */
export const isMasked = (value: string): boolean =>
  value === MASK || value.includes(`://${MASK}@`) || /[?&][^=&\s]+=\*{3}(?![^&#\s])/.test(value);

/** The topology as it goes into the record: n8n's own variables may hold the user's passwords. */
export function topologyWithoutSecrets(topology: Topology): Topology {
  const hidden = <Part extends { env: Record<string, string> }>(part: Part): Part => ({
    ...part,
    env: Object.fromEntries(
      Object.entries(part.env).map(([name, value]) => [name, valueOf(name, value)]),
    ),
  });
  const { main, workers, webhooks } = topology;
  return {
    ...hidden(topology),
    main: hidden(main),
    workers: hidden(workers),
    webhooks: hidden(webhooks),
  };
}

/** The same of a server, whose command is a text of the user's own. */
export const serverWithoutSecrets = (server: Server): Server => ({
  ...server,
  command: withoutSecretParts(server.command),
  env: Object.fromEntries(
    Object.entries(server.env).map(([name, value]) => [name, valueOf(name, value)]),
  ),
});

/** `/webhook/order?token=...` */
export function withoutSecretQuery(text: string): string {
  return text.replace(/([?&]([^=&\s]+)=)[^&#\s]*/g, (whole, start: string, name: string) =>
    isSecretName(name) ? `${start}${MASK}` : whole,
  );
}

/**
 * `https://user:password@host`, `redis://:password@host`. A password may hold an `@` and, though it then
 * should be escaped, in the URL of a store also a slash.
 */
function withoutUserInfo(text: string): string {
  return text
    .replace(/\b((?:rediss?|postgres(?:ql)?|mysql|mongodb|amqps?):\/\/)\S*@/gi, `$1${MASK}@`)
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^/\s]+@/gi, `$1${MASK}@`);
}

const withoutSecretParts = (text: string): string => withoutSecretQuery(withoutUserInfo(text));

/** Values of a chart as they go into the record. Names of Secrets and of their keys are no secrets. */
export function valuesWithoutSecrets(values: unknown, path: readonly string[] = []): unknown {
  if (Array.isArray(values)) return values.map((each) => valuesWithoutSecrets(each, path));
  if (typeof values === 'object' && values !== null) {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        valuesWithoutSecrets(value, [...path, name]),
      ]),
    );
  }
  if (typeof values !== 'string' || values === '') return values;
  const [parent = '', name = ''] = path.slice(-2);
  const names = path.length > 1 && name === 'value' ? [parent] : [name];
  const isSecret = names.some((each) => isSecretName(each) && !/^existing|Key$/.test(each));
  return isSecret || (name === 'value' && parent === 'encryptionKey')
    ? MASK
    : withoutSecretParts(values);
}
