// A lab of its own in a temporary folder: the real installer and the real kinds, with tools that a test makes up.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A loaded machine makes a shell script slow; no test is decided by time.
jest.setTimeout(60_000);

const LAB = join(__dirname, '../../lab');

// The kind `fake` counts its builds, and waits in the middle of one for as long as the file `hold` is there.
const FAKE_KIND = `
inputs=recipe
programs=$tool
place=fake/$tool/$version
contents=$tool
kind_check() { :; }
kind_build() {
  once first sh -c 'echo >>"$1"' sh "$LAB/first-steps"
  echo >>"$LAB/builds"
  while [ -e "$LAB/hold" ]; do sleep 0.05; done
  { echo '#!/bin/sh'; cat "$LAB/recipe"; } >"$OUT/$tool"
  chmod +x "$OUT/$tool"
}
kind_link() { link "../$place/$tool" "$tool"; }
`;

export interface Outcome {
  code: number | null;
  said: string;
}

export class FakeLab {
  readonly root = mkdtempSync(join(tmpdir(), 'n8n-tuned-lab-'));
  readonly lab = join(this.root, 'lab');
  readonly cache = join(this.root, 'cache');
  private readonly started: ChildProcess[] = [];
  private readonly tools = new Map<string, string>();

  constructor() {
    chmodSync(this.root, 0o755);
    for (const name of ['install.sh', 'steps.sh', 'places.sh', 'kinds', 'versions.env']) {
      cpSync(join(LAB, name), join(this.lab, name), { recursive: true });
    }
    writeFileSync(join(this.lab, 'kinds/fake.sh'), FAKE_KIND);
    this.write('recipe', 'echo made');
    this.tool('fake', 'kind=fake version=1.0.0');
  }

  write(name: string, text: string): void {
    const file = join(this.lab, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }

  tool(name: string, definition: string): void {
    this.tools.set(name, definition);
    const functions = [...this.tools].map(([tool, text]) => {
      const lines = text.trim().split('\n');
      return `tool_${tool}() {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
    });
    this.write('tools.sh', functions.join('\n'));
  }

  /** A folder of programs: scripts of the test's own, and links to the machine's. */
  programs(scripts: Record<string, string>, linked: string[] = []): string {
    const folder = mkdtempSync(join(this.root, 'bin-'));
    chmodSync(folder, 0o755);
    for (const [name, body] of Object.entries(scripts)) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    }
    for (const name of linked) {
      const found = (process.env['PATH'] ?? '')
        .split(':')
        .map((part) => join(part, name))
        .find(existsSync);
      if (found !== undefined) symlinkSync(found, join(folder, name));
    }
    return folder;
  }

  install(args: string[], env: Record<string, string> = {}, uid?: number): Outcome {
    const result = spawnSync('bash', [join(this.lab, 'install.sh'), ...args], {
      encoding: 'utf8',
      env: this.environment(env),
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    return { code: result.status, said: result.stderr + result.stdout };
  }

  /** One that goes on while the test does something else. */
  start(args: string[]): { child: ChildProcess; ended: Promise<Outcome>; said: () => string } {
    const child = spawn('bash', [join(this.lab, 'install.sh'), ...args], {
      detached: true,
      env: this.environment({}),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.started.push(child);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const ended = new Promise<Outcome>((resolve) => {
      child.on('close', (code) => {
        resolve({ code, said });
      });
    });
    return { child, ended, said: () => said };
  }

  hold(): void {
    this.write('hold', '');
  }

  release(): void {
    rmSync(join(this.lab, 'hold'), { force: true });
  }

  lines(name: string): number {
    const file = join(this.lab, name);
    return existsSync(file) ? readFileSync(file, 'utf8').length : 0;
  }

  /** What the installed program prints. */
  runs(name: string): string {
    return spawnSync(join(this.cache, 'bin', name), { encoding: 'utf8' }).stdout.trim();
  }

  /** For an install by another user. */
  folderForAll(): string {
    const folder = join(this.root, 'for-all');
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    return folder;
  }

  in(...parts: string[]): string {
    return join(this.cache, ...parts);
  }

  change(name: string, text: string): void {
    appendFileSync(join(this.lab, name), text);
  }

  end(): void {
    this.release();
    for (const child of this.started) killGroup(child);
    rmSync(this.root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  private environment(env: Record<string, string>): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], HOME: this.root, N8N_TUNED_CACHE: this.cache, ...env };
  }
}

/** The installer and what it runs in its own process group; the build itself has another. */
export function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** The programs that the installer itself is written with, on a PATH without anything else. */
export const BASE_PROGRAMS =
  'bash sh ls cat mkdir mv rm ln cut sha256sum flock awk grep head df date sed sleep dirname cp uname id nice find chmod'.split(
    ' ',
  );
