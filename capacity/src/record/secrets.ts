/** Options whose value may hold a credential. */
const SECRET_OPTIONS = ['--header', '--body', '--env', '--api-key'];
/** Environment variables and headers that hold none: their values help to repeat a run. */
const HARMLESS =
  /^(content-type|accept|user-agent):|^(?!.*(KEY|SECRET|PASSWORD|TOKEN|CREDENTIAL))[A-Z0-9_]+=/i;

/** The command as it goes into the record. */
export function withoutSecrets(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const [option = '', ...rest] = word.split('=');
    if (word.startsWith('--') && rest.length > 0 && SECRET_OPTIONS.includes(option)) {
      return `${option}=${withoutSecret(rest.join('='))}`;
    }
    if (SECRET_OPTIONS.includes(words[index - 1] ?? '')) return withoutSecret(word);
    return withoutUserInfo(word);
  });
}

function withoutSecret(value: string): string {
  if (value.startsWith('@') || HARMLESS.test(value)) return value;
  const name = /^[\w-]+[:=]/.exec(value)?.[0] ?? '';
  return `${name}***`;
}

/** `https://user:password@host` */
export function withoutUserInfo(text: string): string {
  return text.replace(/(https?:\/\/)[^/@\s]+@/g, '$1***@');
}
