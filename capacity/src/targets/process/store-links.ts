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
      const link = await Link.open(port, to);
      opened.push(link);
      links.push({
        ...{ instance, role, store },
        slow: (delayMs) => {
          link.slow(delayMs);
        },
        freeze: () => {
          link.freeze();
        },
        thaw: () => {
          link.thaw();
        },
        lose: () => link.lose(),
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
