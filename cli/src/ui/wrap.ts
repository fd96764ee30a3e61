/** Lines of at most `width`; breaks at spaces, and a word that is longer stays whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** The same where nothing may stick out: a word that is longer than a line is cut. */
export const wrapCutting = (text: string, width: number): string[] =>
  wrap(
    text
      .split(' ')
      .flatMap((word) => pieces(word, width))
      .join(' '),
    width,
  );

function pieces(word: string, width: number): string[] {
  return word.length <= width
    ? [word]
    : [word.slice(0, width), ...pieces(word.slice(width), width)];
}
