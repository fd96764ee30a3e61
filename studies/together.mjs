// Of parts that are measured at the same time: what they load is started first, and their loads begin together. Each
// command waits for a file once what it loads is ready; the file is there when all of them wait or have ended.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** After the last of them is ready: what a start leaves behind settles. */
const SETTLE_MS = 20_000;
/** From the file to the first request, and from the last one to its response. */
const AROUND_LOAD_SECONDS = 15;

export class Together {
  #folder = mkdtempSync(join(tmpdir(), 'together-'));
  #left;
  #settleMs;
  #began;
  /** Once all loads have begun; never, where none of them did. */
  #begun = new Promise((resolve) => (this.#began = resolve));

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
      if (!existsSync(this.#folder)) return;
      writeFileSync(this.file, '');
      this.#began();
    }, this.#settleMs);
  }

  /** When loads that last so long are over, and only what they left behind is still at work. */
  async isLoadedFor(seconds) {
    await this.#begun;
    await new Promise((resolve) => {
      setTimeout(resolve, 1000 * (seconds + AROUND_LOAD_SECONDS)).unref();
    });
  }

  end() {
    rmSync(this.#folder, { recursive: true });
  }
}
