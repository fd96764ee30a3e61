/** What a soak has shown, for a reader of nothing else. */
import type { SoakTrend } from '../../record/run-record';
import { formatNumber } from '../../ui/numbers';

/**
 * The sentence is about the whole run. Memory decides whether it leaks: the database grows by what n8n keeps until it
 * prunes it by age, so that is told with what a day of it takes.
 */
export function soakSentence(trends: readonly SoakTrend[]): string | null {
  const sentences = [memorySentence(trends), databaseSentence(trends), walSentence(trends)];
  const said = sentences.filter((one) => one !== null);
  return said.length === 0 ? null : said.join(' ');
}

function memorySentence(trends: readonly SoakTrend[]): string | null {
  const memory = trends.find(({ name }) => name === 'memory');
  if (memory === undefined) return null;
  const range = rangeText(memory);
  if (memory.answer === 'grows') return `Leak: memory grew by ${range} after it had settled.`;
  if (memory.answer === 'steady')
    return `No leak: memory changed by ${range} after it had settled.`;
  return `It is unknown whether there is a memory leak: memory changed by ${range}; use a longer soak.`;
}

/** Number of tables that are named. */
const NAMED = 3;
const HOURS_PER_DAY = 24;
const MIB_PER_GIB = 1024;

function databaseSentence(trends: readonly SoakTrend[]): string | null {
  const database = trends.find(({ name }) => name === 'database');
  const tables = trends
    .filter(({ name, answer }) => name.startsWith('table ') && answer === 'grows')
    .sort((one, other) => other.perHour.value - one.perHour.value);
  const grown = database?.answer === 'grows' ? database : null;
  if (grown === null && tables.length === 0) return null;
  const perHour = grown?.perHour.value ?? tables.reduce((sum, one) => sum + one.perHour.value, 0);
  const named = tables
    .slice(0, NAMED)
    .map((one) => `${one.name.replace('table ', '')} by ${rangeText(one)}`);
  const what = [
    ...(grown === null ? [] : [`The database grew by ${rangeText(grown)}`]),
    ...(named.length === 0
      ? []
      : [`${grown === null ? 'Tables' : 'its tables'} grew: ${named.join(', ')}`]),
  ].join('; ');
  const perDay = formatNumber((perHour * HOURS_PER_DAY) / MIB_PER_GIB);
  return `${what}. This growth is ${perDay} GiB per day for as long as n8n keeps its executions (EXECUTIONS_DATA_MAX_AGE).`;
}

function walSentence(trends: readonly SoakTrend[]): string | null {
  const log = trends.find(({ name, answer }) => name === 'WAL' && answer === 'grows');
  return log === undefined
    ? null
    : `The write-ahead log of SQLite grew by ${rangeText(log)}: checkpoints do not keep up with the writes.`;
}

const rangeText = ({ unit, perHour: { value, low, high } }: SoakTrend): string =>
  `${formatNumber(value)} ${unit} per hour (between ${formatNumber(low)} and ${formatNumber(high)})`;
