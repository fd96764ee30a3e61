// Lets variables reach the code in the external task runner. Its launcher passes on only those that its config names, and
// some it overrides: this writes the config of the image anew, with the given names passed on and nothing else changed.
const fs = require('node:fs');

const [from, to, ...names] = process.argv.slice(2);

function withNames(runner) {
  const overrides = Object.entries(runner['env-overrides'] ?? {});
  return {
    ...runner,
    // -I leaves out PYTHONPATH too; -P and -s are the rest of what it stands for.
    args: runner.args.flatMap((arg) =>
      arg === '-I' && names.includes('PYTHONPATH') ? ['-P', '-s'] : [arg],
    ),
    'allowed-env': [...new Set([...(runner['allowed-env'] ?? []), ...names])],
    'env-overrides': Object.fromEntries(overrides.filter(([name]) => !names.includes(name))),
  };
}

try {
  const config = JSON.parse(fs.readFileSync(from, 'utf8'));
  const runners = config['task-runners'].map(withNames);
  fs.writeFileSync(to, JSON.stringify({ ...config, 'task-runners': runners }));
} catch (error) {
  console.error(
    `runner config: ${from} of the image is not the config of a task runner launcher (${error.message}): use an image made from n8nio/runners.`,
  );
  process.exit(1);
}
