import { LIMITS } from '../../../cli/src/analysis/limits/table';
import { diagnose } from './diagnose';
import { STAGES } from './planted';

/** A line of JSON with all rows of the table, then one for each case, as it ends; with names, only those stages. */
async function all(names: readonly string[]): Promise<void> {
  process.stdout.write(
    `${JSON.stringify({ rows: LIMITS.map(({ role, resource }) => ({ role, resource })) })}\n`,
  );
  for (const stage of STAGES.filter(({ name }) => names.length === 0 || names.includes(name))) {
    await diagnose(stage, (diagnosis) => {
      process.stdout.write(`${JSON.stringify(diagnosis)}\n`);
    });
  }
}

void all(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  },
);
