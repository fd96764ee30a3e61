import { n8nVersion } from '../shared/n8nProcess';

/** The parameter that tells the size of an operation, and its unit. */
const sizes = {
  cpu: ['CPU', 'cpuTimeMs', 'ms'],
  diskRead: ['Disk Read', 'sizeKiB', 'KiB'],
  diskWrite: ['Disk Write', 'sizeKiB', 'KiB'],
  fail: ['Fail', 'probability', ''],
  json: ['JSON', 'sizeKiB', 'KiB'],
  memory: ['Memory', 'sizeMiB', 'MiB'],
  payload: ['Payload', 'items', 'items'],
  wait: ['Wait', 'waitMs', 'ms'],
} as const;

/**
 * Operation and size, such as "JSON: 100 KiB"; without the size where another parameter decides it,
 * or where an expression does that has no data yet. n8n 0.x cannot catch, so it shows the operation.
 */
export function subtitle(version = n8nVersion()): string {
  const table = JSON.stringify(sizes).replaceAll('"', "'");
  const operation = `(${table})[$parameter['operation']]`;
  if (version?.startsWith('0.')) return `={{ ${operation}[0] }}`;
  const shown = [
    ["'cpu'", "$parameter['until'] !== 'loop'"],
    ["'payload'", "$parameter['payloadKind'] !== 'binary'"],
    ["'wait'", "($parameter['distribution'] ?? 'fixed') === 'fixed'"],
  ].map(([name, condition]) => `($parameter['operation'] !== ${name} || ${condition})`);
  const withSize = `if (typeof size === 'number' && ${shown.join(' && ')}) return (title + ': ' + size + ' ' + unit).trim();`;
  return `={{ (() => { const [title, name, unit] = ${operation}; try { const size = $parameter[name]; ${withSize} } catch {} return title; })() }}`;
}
