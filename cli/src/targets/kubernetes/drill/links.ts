/**
 * The program of the container with the links of one pod (dist/pod-links.cjs), told by its argument where they lead. Each
 * request to its control port is an order, as POST /redis/slow/100.
 */
import { createServer } from 'node:http';
import { Link, type LinkEnd } from '../../process/link';

export interface PodLinksOrder {
  controlPort: number;
  /** By the store: the port here, and where the store is. */
  stores: Record<string, { port: number; to: LinkEnd }>;
}

const HOST = '127.0.0.1';

export async function podLinks({
  controlPort,
  stores,
}: PodLinksOrder): Promise<() => Promise<void>> {
  const links = new Map<string, Link>();
  for (const [store, { port, to }] of Object.entries(stores)) {
    links.set(store, await Link.open(port, to));
  }
  const control = createServer((request, response) => {
    const [store = '', what = '', number = ''] = (request.url ?? '').slice(1).split('/');
    const link = links.get(store);
    const told = link === undefined ? null : obey(link, what, Number(number));
    response.writeHead(told === null ? 404 : 200).end(told ?? `no order: ${request.url ?? ''}`);
  });
  await new Promise<void>((resolve) => control.listen(controlPort, HOST, resolve));
  return async () => {
    control.close();
    await Promise.all([...links.values()].map((link) => link.close()));
  };
}

/** Null: there is no such order. */
function obey(link: Link, what: string, delayMs: number): string | null {
  if (what === 'lose') return String(link.lose());
  if (what === 'counts') return JSON.stringify(link.counts());
  if (what === 'slow') link.slow(delayMs);
  else if (what === 'freeze') link.freeze();
  else if (what === 'thaw') link.thaw();
  else return null;
  return '';
}
