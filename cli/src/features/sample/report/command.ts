/** A command line without the folders of its words, cut to so many characters. */
export function shortCommand(command: string, most: number): string {
  const words = command
    .replaceAll(/\s+/g, ' ')
    .split(' ')
    .map((word) => (/^\/\S*[^/]$/.test(word) ? word.slice(word.lastIndexOf('/') + 1) : word))
    .join(' ');
  return words.length > most ? `${words.slice(0, most - 1)}…` : words;
}
