/** A resolver of ours, which n8n asks for the names of its stores and services, and which can fall silent. */
import { createSocket, type Socket } from 'node:dgram';
import { getServers } from 'node:dns';
import { Failure, messageOf } from '../../ui/exit';

/** Reserved for tests (RFC 6761): nobody else answers for it. */
const DOMAIN = 'n8n-tuned.test';
export const nameOf = (what: string): string => `${what}.${DOMAIN}`;

/** What n8n finds in /etc: a resolver has this port and no other there. */
const PORT = 53;
const TRIES = 20;
const HEADER_BYTES = 12;
const TYPE_A = 1;
const NO_SUCH_NAME = 3;

interface Question {
  name: string;
  type: number;
  /** The position in the message at which it ends. */
  end: number;
}

export class Names {
  private silent: Map<string, number> | null = null;

  private constructor(
    private readonly socket: Socket,
    readonly address: string,
  ) {
    socket.on('message', (message, { port, address: from }) => {
      this.hear(message, (answer) => {
        socket.send(answer, port, from);
      });
    });
  }

  /** Listens on an address of loopback that nobody else has. */
  static async open(): Promise<Names> {
    let why = '';
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const number = (): string => String(1 + Math.floor(Math.random() * 254));
      const address = `127.${number()}.${number()}.${number()}`;
      const socket = createSocket('udp4');
      try {
        await new Promise<void>((resolve, reject) => {
          socket.once('error', reject);
          socket.bind(PORT, address, resolve);
        });
        return new Names(socket, address);
      } catch (error) {
        why = messageOf(error);
        socket.close();
      }
    }
    throw new Failure(`no resolver could be started on port ${String(PORT)}: ${why}`);
  }

  /** Lines of /etc/resolv.conf and /etc/nsswitch.conf for who is to ask it, with nobody in between. */
  get files(): Record<string, string> {
    return {
      '/etc/resolv.conf': `nameserver ${this.address}\n`,
      '/etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
    };
  }

  /** From now on nobody gets an answer; what is returned ends that, and tells who was asked for how often. */
  silence(): () => ReadonlyMap<string, number> {
    const asked = new Map<string, number>();
    this.silent = asked;
    return () => {
      this.silent = null;
      return asked;
    };
  }

  close(): void {
    this.socket.close();
  }

  private hear(message: Buffer, answer: (reply: Buffer) => void): void {
    const question = questionIn(message);
    if (question === null) return;
    const { name } = question;
    if (this.silent !== null) this.silent.set(name, (this.silent.get(name) ?? 0) + 1);
    else if (name.endsWith(`.${DOMAIN}`)) answer(ownAnswer(message, question));
    else passOn(message, answer);
  }
}

function questionIn(message: Buffer): Question | null {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (;;) {
    const length = message[at];
    if (length === undefined || length > 63) return null;
    at += 1;
    if (length === 0) break;
    labels.push(message.toString('latin1', at, at + length));
    at += length;
  }
  if (message.length < at + 4) return null;
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at), end: at + 4 };
}

/** 127.0.0.1 where an IPv4 address is asked for, and nothing else: every store and service is there. */
function ownAnswer(message: Buffer, { type, end }: Question): Buffer {
  const isAddress = type === TYPE_A;
  const head = headOf(message, 0, isAddress ? 1 : 0);
  // The name is that of the question; class IN, for no time.
  const record = Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat([head, message.subarray(HEADER_BYTES, end), ...(isAddress ? [record] : [])]);
}

function headOf(message: Buffer, code: number, answers: number): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  message.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | code, 2); // A response, recursion asked for and given.
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(answers, 6);
  return head;
}

const PASSED_ON_MS = 5_000;

/** To the resolver of this machine; without one there is no such name. */
function passOn(message: Buffer, answer: (reply: Buffer) => void): void {
  const server = getServers().find((one) => /^[\d.]+$/.test(one));
  const question = questionIn(message);
  if (server === undefined || question === null) {
    const end = question?.end ?? HEADER_BYTES;
    answer(Buffer.concat([headOf(message, NO_SUCH_NAME, 0), message.subarray(HEADER_BYTES, end)]));
    return;
  }
  const socket = createSocket('udp4');
  const timer = setTimeout(() => {
    socket.close();
  }, PASSED_ON_MS);
  const end = (): void => {
    clearTimeout(timer);
    socket.close();
  };
  socket.once('message', (reply) => {
    end();
    answer(reply);
  });
  socket.once('error', end);
  socket.send(message, PORT, server);
}
