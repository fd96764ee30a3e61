import { execFileSync } from 'node:child_process';

/** What an expression over a module, `it`, and an `input` gives, in a process of its own: Jest loads no ES modules. */
export function told<T>(module: string, expression: string, input: unknown = null): T {
  const source = `import * as it from '${module}'; import { readFileSync } from 'node:fs';
    const input = JSON.parse(readFileSync(0, 'utf8')); console.log(JSON.stringify(${expression}));`;
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', source], {
    ...{ encoding: 'utf8', input: JSON.stringify(input) },
  });
  return JSON.parse(text) as T;
}
