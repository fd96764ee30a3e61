// Of parts that are measured at the same time: what they load is started first, and their loads begin together. Each
// command waits for a file once what it loads is ready; the file is there when all of them wait or have ended.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** After the last of them is ready: what a start leaves behind settles. */
const SETTLE_MS = 5000;

export class Together {
  #folder = mkdtempSync(join(tmpdir(), 'together-'));
  #left;
  #settleMs;

  constructor(parts, settleMs = SETTLE_MS) {
    this.#left = new Set(parts.map(({ name }) => name));
    this.#settleMs = settleMs;
  }

  /** For `--start-file`. */
  get file() {
    return join(this.#folder, 'start');
  }

  /** What a command says: it names the file when it waits for it. */
  hears(part, text) {
    if (text.includes(this.file)) this.isReady(part);
  }

  /** It waits, or has ended. */
  isReady({ name }) {
    if (!this.#left.delete(name) || this.#left.size > 0) return;
    setTimeout(() => {
      if (existsSync(this.#folder)) writeFileSync(this.file, '');
    }, this.#settleMs);
  }

  end() {
    rmSync(this.#folder, { recursive: true });
  }
}
