import { connect, createServer, type Server, type Socket } from 'node:net';
import type { LinkCounts } from '../target';

/**
 * A port of ours in front of a store. What passes through it can be slowed, stopped for a while, or lost for good,
 * without rights beyond those of a user. Unlike in a network that drops packets, the kernel still acknowledges what
 * nobody passes on: TCP keep-alive finds nothing.
 */
export class Link {
  private readonly connections = new Set<Connection>();
  private readonly rule: Rule = { delayMs: 0, isFrozen: false, bytes: 0 };

  private constructor(
    private readonly server: Server,
    private to: LinkEnd,
  ) {}

  /** Listens on `port` of loopback and connects to `to`, once for each connection that it accepts. */
  static async open(port: number, to: LinkEnd): Promise<Link> {
    const server = createServer();
    const link = new Link(server, to);
    server.on('connection', (near) => {
      link.accept(near, connect({ ...link.to, noDelay: true }));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
    return link;
  }

  /** From now on each byte comes so much later, in each direction; 0: at once. */
  slow(delayMs: number): void {
    this.rule.delayMs = delayMs;
  }

  /** Nothing passes until `thaw`, and nothing is lost: what was sent comes then, in its order. */
  freeze(): void {
    this.rule.isFrozen = true;
  }

  thaw(): void {
    this.rule.isFrozen = false;
    for (const connection of this.connections) connection.pass();
  }

  /**
   * The connections that are open now stay open, and nothing passes through them ever again, not even that one end
   * has closed; new ones are as they should be. How many there were.
   */
  lose(): number {
    for (const connection of this.connections) connection.lose();
    return this.connections.size;
  }

  /** Ends the connections that are open, and leads new ones to another server. */
  lead(to: LinkEnd): void {
    this.to = to;
    for (const connection of this.connections) connection.destroy();
  }

  /** Connections that are open, and the bytes that have come since it was opened, whether or not they were passed on. */
  counts(): LinkCounts {
    return { connections: this.connections.size, bytes: this.rule.bytes };
  }

  async close(): Promise<void> {
    for (const connection of this.connections) connection.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accept(near: Socket, far: Socket): void {
    near.setNoDelay(true);
    const connection = new Connection(near, far, this.rule);
    this.connections.add(connection);
    connection.onEnd(() => this.connections.delete(connection));
  }
}

export interface LinkEnd {
  host: string;
  port: number;
}

interface Rule {
  delayMs: number;
  isFrozen: boolean;
  /** Number of bytes that have come, in both directions. */
  bytes: number;
}

class Connection {
  private readonly ways: readonly [Way, Way];

  constructor(
    private readonly near: Socket,
    private readonly far: Socket,
    rule: Rule,
  ) {
    this.ways = [new Way(near, far, rule), new Way(far, near, rule)];
  }

  pass(): void {
    for (const way of this.ways) way.pass();
  }

  lose(): void {
    for (const way of this.ways) way.lose();
  }

  destroy(): void {
    this.lose();
    this.near.destroy();
    this.far.destroy();
  }

  /** Once both ends have closed. */
  onEnd(listener: () => void): void {
    let open = 2;
    for (const socket of [this.near, this.far]) {
      socket.once('close', () => {
        open -= 1;
        if (open === 0) listener();
      });
    }
  }
}

/** The way from one socket to the other. What waits on it is in memory: what its sender sends while it is frozen. */
class Way {
  /** In the order in which they came; null: the sender has closed. */
  private readonly waiting: { dueMs: number; bytes: Buffer | null }[] = [];
  private timer: NodeJS.Timeout | undefined;
  private isLost = false;

  constructor(
    private readonly from: Socket,
    private readonly to: Socket,
    private readonly rule: Rule,
  ) {
    from.on('data', (bytes) => {
      rule.bytes += bytes.length;
      this.accept(bytes);
    });
    from.on('error', () => undefined); // It closes then.
    from.once('close', () => {
      this.accept(null);
    });
  }

  lose(): void {
    this.isLost = true;
    this.waiting.length = 0;
    clearTimeout(this.timer);
  }

  /** What is due. */
  pass(): void {
    clearTimeout(this.timer);
    if (this.rule.isFrozen) return;
    const now = performance.now();
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      if (next.dueMs > now) {
        this.timer = setTimeout(() => {
          this.pass();
        }, next.dueMs - now);
        return;
      }
      this.waiting.shift();
      this.send(next.bytes);
    }
  }

  private accept(bytes: Buffer | null): void {
    if (this.isLost) return;
    const last = this.waiting.at(-1)?.dueMs ?? 0;
    this.waiting.push({ dueMs: Math.max(last, performance.now() + this.rule.delayMs), bytes });
    this.pass();
  }

  private send(bytes: Buffer | null): void {
    if (bytes === null) this.to.destroySoon();
    else if (!this.to.write(bytes)) {
      this.from.pause();
      this.to.once('drain', () => this.from.resume());
    }
  }
}
