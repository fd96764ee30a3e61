/**
 * The stand-in as a process beside n8n and in a pod (dist/stand-in.cjs): with Node.js alone. PLAN_FILE has its plan, which
 * the command has checked; without one it answers what bundled workloads call. Its first line names its address.
 */
import { readPlainFile } from '../linux/plain-file';
import { messageOf } from '../ui/errors';
import { bundledRules } from './bundled';
import { DEFAULT_MODEL, type StandInPlan } from './plan';
import { startStandIn } from './server';

const { env } = process;
const host = env['HOST'] ?? '127.0.0.1';
const port = Number(env['PORT'] ?? 5690);
const planFile = env['PLAN_FILE'];
const effectsFile = env['EFFECTS_FILE'];

const plan: StandInPlan =
  planFile === undefined
    ? { seed: 1, rules: bundledRules(), model: DEFAULT_MODEL }
    : (JSON.parse(readPlainFile(planFile)) as StandInPlan);

startStandIn({ plan, host, port, ...(effectsFile === undefined ? {} : { effectsFile }) }).then(
  ({ url, end }) => {
    process.stdout.write(`listening on ${url}\n`);
    for (const signal of ['SIGINT', 'SIGTERM']) {
      process.once(signal, () => void end().then(() => process.exit(0)));
    }
  },
  (error: unknown) => {
    process.stderr.write(
      `The stand-in cannot listen on ${host}:${String(port)}: ${messageOf(error)}\n`,
    );
    process.exit(1);
  },
);
