/** Escapes text for SVG and HTML, in content and in attributes. */
export function escapeXml(text: string): string {
  return text.replace(
    /[&<>"']/g,
    (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c] ?? c,
  );
}

type Attributes = Record<string, string | number | undefined>;

export function element(name: string, attributes: Attributes, ...children: string[]): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        ` ${key}="${typeof value === 'number' ? round(value) : escapeXml(String(value))}"`,
    )
    .join('');
  return children.length === 0
    ? `<${name}${written}/>`
    : `<${name}${written}>${children.join('')}</${name}>`;
}

/** Two decimals are a hundredth of a pixel: enough, and it keeps reports small. */
export const round = (value: number): string => String(Math.round(value * 100) / 100);
