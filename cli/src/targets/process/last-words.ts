const LINES = 3;
/** V8's frames and headings of an abort, which tell an operator nothing and stand behind the line that does. */
const NOISE = /^(\d+: 0x[0-9a-f]+|-+ .* -+$|<--- .* --->$|\[\d+:0x[0-9a-f]+\])/;

/** The last lines of a log that tell why its process ended. */
export function lastWords(log: string): string {
  const lines = log.split('\n').map((line) => line.trim());
  const telling = lines.filter((line) => line !== '' && !NOISE.test(line));
  return telling.slice(-LINES).join(' ') || 'nothing';
}
