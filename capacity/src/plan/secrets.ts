import type { Topology } from './topology';

/** Options whose value may hold a credential. */
const SECRET_OPTIONS = ['--header', '--body', '--env', '--api-key'];
const SECRET_NAME = /KEY|SECRET|PASSWORD|PASSPHRASE|PASS$|TOKEN|CREDENTIAL/i;
/** Headers that hold none; like harmless variables, their values help to repeat a run. */
const HARMLESS_HEADER = /^(content-type|accept|user-agent):/i;

/** The command as it goes into the record. */
export function withoutSecrets(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const [option = '', ...rest] = word.split('=');
    if (word.startsWith('--') && rest.length > 0 && SECRET_OPTIONS.includes(option)) {
      return `${option}=${withoutSecret(option, rest.join('='))}`;
    }
    const before = words[index - 1] ?? '';
    if (SECRET_OPTIONS.includes(before)) return withoutSecret(before, word);
    return withoutSecretQuery(withoutUserInfo(word));
  });
}

function withoutSecret(option: string, value: string): string {
  if (option === '--body') return value.startsWith('@') ? value : '***';
  if (option === '--header' && HARMLESS_HEADER.test(value)) return value;
  const [, name = '', sign = '', rest = ''] = /^([\w-]+)([:=])(.*)$/s.exec(value) ?? [];
  return `${name}${sign}${option === '--env' && sign === '=' ? valueOf(name, rest) : '***'}`;
}

export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

const valueOf = (variable: string, value: string): string =>
  isSecretName(variable) ? '***' : withoutUserInfo(value);

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

/** `/webhook/order?token=...` */
export function withoutSecretQuery(text: string): string {
  return text.replace(/([?&]([^=&\s]+)=)[^&#\s]*/g, (whole, start: string, name: string) =>
    isSecretName(name) ? `${start}***` : whole,
  );
}

/** `https://user:password@host` */
export function withoutUserInfo(text: string): string {
  return text.replace(/(https?:\/\/)[^/@\s]+@/g, '$1***@');
}
