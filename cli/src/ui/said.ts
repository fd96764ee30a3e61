/** What a server said, as part of a sentence: one line, short, without what moves a terminal's cursor. */
export function shortly(text: string, max = 200): string {
  const line = text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > max ? `${line.slice(0, max).trimEnd()}…` : line;
}

/** n8n's own words in a response: its message with its hint, else the text; empty where it is a page. */
export function wordsIn(body: string): string {
  if (/^\s*<(!doctype|html|\?xml)/i.test(body)) return '';
  try {
    const { message, hint, error } = JSON.parse(body) as Record<string, unknown>;
    const parts = [message ?? error, hint].filter((part) => typeof part === 'string');
    if (parts.length > 0) return shortly(parts.map((part) => part.trim()).join(' '), 300);
  } catch {
    // It is a text.
  }
  return shortly(body);
}
