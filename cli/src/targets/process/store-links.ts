import type { StoreLink } from '../target';
import type { Ports, Store } from './layout';
import { Link } from './link';

/** Opens the links of every process of n8n. */
export async function openLinks(ports: Ports): Promise<{
  links: StoreLink[];
  close: () => Promise<void>;
}> {
  const opened: Link[] = [];
  const links: StoreLink[] = [];
  for (const { instance, role, links: own = {} } of ports.seats) {
    for (const store of Object.keys(own) as Store[]) {
      const [port, to] = [own[store], ports[store]];
      if (port === undefined || to === null) continue;
      const link = await Link.open(port, { host: '127.0.0.1', port: to });
      opened.push(link);
      links.push({
        ...{ instance, role, store },
        slow: (delayMs) => {
          link.slow(delayMs);
          return Promise.resolve();
        },
        freeze: () => {
          link.freeze();
          return Promise.resolve();
        },
        thaw: () => {
          link.thaw();
          return Promise.resolve();
        },
        lose: () => Promise.resolve(link.lose()),
        counts: () => Promise.resolve(link.counts()),
      });
    }
  }
  return {
    links,
    close: async () => {
      await Promise.all(opened.map((link) => link.close()));
    },
  };
}
