// The command of this kit, called as its users call it.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../cli/dist/cli.js', import.meta.url));

/**
 * Its record, whatever the verdict; its progress goes to our stderr. In a group of its own: it takes down what it made when
 * it is told to end, once.
 */
export function tuned(args, signal) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, ...args, '--json'], {
      ...{ detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
    });
    const end = () => child.kill('SIGTERM');
    signal.addEventListener('abort', end);
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more) => (text += more));
    child.once('error', reject);
    child.once('close', (code) => {
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(new Error('interrupted'));
      else if (text === '') reject(new Error(`n8n-tuned ${args[0]} ended with ${code}`));
      else resolve(JSON.parse(text));
    });
  });
}

/** Load on a release that is there, from within the cluster. */
export const existing = (namespace, ...more) => [
  ...['run', '--target', 'kubernetes', '--existing', '--namespace', namespace, '--release', 'n8n'],
  ...['--yes', '--ready', '300s', ...more],
];

/** What of a run is kept. */
export function figuresOf({ summary, verdict }) {
  const { achieved, latencyMs, errors, unanswered, offered } = summary;
  return {
    requests: offered.requests,
    ratePerSecond: achieved.ratePerSecond,
    p50Ms: latencyMs?.p50 ?? null,
    p95Ms: latencyMs?.p95 ?? null,
    wrong: errors.requests,
    unanswered: unanswered.requests,
    verdict: verdict.sentence,
  };
}
