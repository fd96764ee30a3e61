/**
 * Secrets that the user has given, as far as they are known by where they stand. Each is masked where it is recorded; this
 * is for the rest: what another program says of it, such as a URL in an error of k6 or a variable in a log of n8n.
 */
/** The longer ones first, since one may be a part of another. */
let known: readonly string[] = [];
/** Texts of which the user has said that all who see the results may read them. */
let readable: readonly string[] = [];

/** A shorter one would be found in words that have nothing to do with it. */
const MIN_LENGTH = 6;

export function know(secret: string): void {
  if (secret.length < MIN_LENGTH || secret.includes('***')) return;
  if (readable.some((text) => text.includes(secret))) return;
  const forms = [secret, ...decoded(secret)].flatMap((text) => [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    Buffer.from(text).toString('base64'),
  ]);
  known = [...new Set([...known, ...forms])].sort((a, b) => b.length - a.length);
}

function decoded(text: string): string[] {
  try {
    const plain = decodeURIComponent(text);
    return plain === text || plain.length < MIN_LENGTH ? [] : [plain];
  } catch {
    return [];
  }
}

export function allow(text: string): void {
  readable = [...readable, text];
}

export const knowsAny = (): boolean => known.length > 0;

export function forgetAll(): void {
  known = [];
  readable = [];
}

/** A text as it may be shown, with every secret masked. */
export const withoutKnown = (text: string): string =>
  known.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);

/** Hides known secrets in everything that is written to `stream` from now on. */
export function hideOn(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = ((data: unknown, ...more: unknown[]) =>
    write(typeof data === 'string' ? withoutKnown(data) : data, ...more)) as typeof stream.write;
}
