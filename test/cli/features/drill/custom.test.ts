// A fault that the user's own commands make, with real ones.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultScene } from '../../../../cli/src/features/drill/fault';
import { customFault, type OwnCommands } from '../../../../cli/src/features/drill/faults/custom';
import { findFault } from '../../../../cli/src/features/drill/faults';
import { faultOf, whyNotThere, type DrillOptions } from '../../../../cli/src/features/drill/one';
import { TimedFault } from '../../../../cli/src/features/drill/timed-fault';
import type { Running } from '../../../../cli/src/targets/target';
import { Mistake } from '../../../../cli/src/ui/exit';
import { until } from '../../../support/wait';

let folder: string;
let log: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'custom-'));
  log = join(folder, 'log');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const says = (word: string): string => `echo ${word} >> '${log}'`;
const said = (): string[] =>
  existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : [];

function made(commands: OwnCommands): { told: string[]; stop: () => void; over: Promise<void> } {
  const told: string[] = [];
  const stopping = new AbortController();
  const scene: FaultScene = {
    ...{ lastsMs: 50, turn: 0, signal: stopping.signal },
    tell: (text) => told.push(text),
  };
  const over = customFault(commands).make(scene);
  return {
    told,
    over,
    stop: () => {
      stopping.abort();
    },
  };
}

test('the first command begins it, and the second ends it; a record names their programs and no argument', async () => {
  const { told, over } = made({
    begin: `${says('begun')}; : --token s3cret`,
    end: says('ended'),
  });
  await over;
  expect(said()).toEqual(['begun', 'ended']);
  expect(told).toEqual(['--begin, echo', '--end, echo, has run']);
});

test('a variable before the program holds a secret as well, and is not recorded', async () => {
  const { told, over } = made({ begin: "TOKEN='s3cret one' true" });
  await over;
  expect(told).toEqual(['--begin, a command']);
});

test('what was begun half-way is ended too, and the failure names the option and the exit code', async () => {
  const { over } = made({ begin: `${says('begun')}; exit 7`, end: says('ended') });
  await expect(over).rejects.toThrow('the command in --begin ended with exit code 7');
  expect(said()).toEqual(['begun', 'ended']);
});

test('an end that fails is a failure of the fault: what it broke may still be broken', async () => {
  await expect(made({ begin: 'true', end: 'exit 3' }).over).rejects.toThrow(
    'the command in --end ended with exit code 3',
  );
});

test('a third command proves before the second that the fault has an effect, and one that does not lets the fault fail', async () => {
  const { told, over } = made({ begin: says('begun'), end: says('ended'), proof: says('seen') });
  await over;
  expect(said()).toEqual(['begun', 'seen', 'ended']);
  expect(told).toContain('--proof, echo, says that it has an effect');
  const without = made({ begin: 'true', end: says('ended again'), proof: 'exit 4' });
  await expect(without.over).rejects.toThrow('the command in --proof ended with exit code 4');
  expect(said()).toContain('ended again');
  const options = { begin: 'true', proof: 'true' } as unknown as DrillOptions;
  expect(faultOf('custom', options).hasProof).toBe(true);
});

test('a drill that is stopped ends the first command with all that it has started, and runs the second', async () => {
  const child = join(folder, 'child');
  const { over, stop } = made({
    begin: `sleep 600 & echo $! > '${child}'; ${says('begun')}; wait`,
    end: says('ended'),
  });
  await until('it has begun', () => said().length > 0);
  stop();
  await over;
  expect(said()).toEqual(['begun', 'ended']);
  const pid = Number(readFileSync(child, 'utf8'));
  await until('the child has ended', () => {
    try {
      return /^State:\s+Z/m.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
    } catch {
      return true;
    }
  });
});

test('a drill that is stopped at once, while the first command still runs, also runs the second', async () => {
  const before = process.listeners('exit');
  const exits = (): NodeJS.ExitListener[] =>
    process.listeners('exit').filter((listener) => !before.includes(listener));
  const { over, stop } = made({
    begin: `trap '' TERM; ${says('begun')}; sleep 600; ${says('too late')}`,
    end: says('ended'),
  });
  await until('it has begun', () => said().length > 0);
  stop();
  expect(exits()).toHaveLength(1);
  // A second Ctrl-C calls process.exit(), which calls them.
  for (const listener of exits()) listener.call(process, 130);
  await until('the second command has run', () => said().length > 1);
  await over;
  expect(said()).toEqual(['begun', 'ended']);
  expect(exits()).toEqual([]);
});

describe('on an n8n that is there already', () => {
  const running = { processes: () => [] } as unknown as Running;
  const after = async (fault: TimedFault): Promise<TimedFault> => {
    fault.begin(Date.now(), () => undefined);
    await until(
      'it is made',
      () => fault.beganMs !== null && (fault.overMs ?? fault.failure) !== null,
    );
    await fault.end();
    return fault;
  };

  test('commands are run, and a fault that reaches into the target is not made', async () => {
    const own = customFault({ begin: says('begun'), end: says('ended') });
    const done = await after(new TimedFault(running, own, { atMs: 0, lastsMs: 10 }));
    expect(done.failure).toBeNull();
    expect(said()).toEqual(['begun', 'ended']);
    const inside = await after(
      new TimedFault(running, findFault('kill-worker'), { atMs: 0, lastsMs: 0 }),
    );
    expect(inside.failure).toBe('the drill has no access to the processes of this target');
  });

  test.each([
    ['url', {}],
    ['kubernetes', { existing: true }],
  ])('only commands go with --target %s %j', (target, more) => {
    const options = { target, begin: 'true', ...more } as unknown as DrillOptions;
    expect(whyNotThere(faultOf('custom', options), options)).toBeNull();
    expect(whyNotThere(findFault('kill-worker'), options)).toContain(
      'use custom with your own commands',
    );
  });
});

test('custom without a command is refused with what it needs', () => {
  const asked = (): unknown => faultOf('custom', {} as DrillOptions);
  expect(asked).toThrow(Mistake);
  expect(asked).toThrow('custom requires --begin');
});
