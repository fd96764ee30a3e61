import { CALM, nextAlarm, type AlarmRule } from '../../nodes/QueueMonitor/queue/alarm';
import { connectionOf, parseNodes } from '../../nodes/QueueMonitor/queue/connection';
import { redisProblem } from '../../nodes/QueueMonitor/queue/problem';
import { credential } from './support/redis';

/** Feeds one sample a second and gives the seconds at which something happened. */
function play(rule: AlarmRule, samples: (number | null)[]): string[] {
  let state = CALM;
  const events: string[] = [];
  samples.forEach((sample, second) => {
    const next = nextAlarm(rule, state, sample, second * 1000);
    state = next.state;
    if (next.event) events.push(`${String(second)} ${next.event}`);
  });
  return events;
}

describe('the alarm', () => {
  const rule: AlarmRule = { direction: 'over', threshold: 10, clearAt: 5, holdMs: 2000 };

  test('comes when the measure stays over the threshold for the time', () => {
    expect(play(rule, [0, 11, 11, 11, 11])).toEqual(['3 raised']);
  });

  test('does not come for a peak, nor at the threshold itself', () => {
    expect(play(rule, [11, 11, 9, 11, 11, 9, 10, 10, 10, 10])).toEqual([]);
  });

  test('comes once, until the measure was back at the lower value', () => {
    expect(play(rule, [11, 11, 11, 8, 11, 11, 11, 5, 11, 11, 11])).toEqual([
      '2 raised',
      '7 cleared',
      '10 raised',
    ]);
  });

  test('needs the whole time anew when a sample is missing, and stays raised through it', () => {
    expect(play(rule, [11, null, 11, 11, 11, null, 4])).toEqual(['4 raised', '6 cleared']);
  });

  test('works the other way round for what must not fall', () => {
    const under: AlarmRule = { direction: 'under', threshold: 1, clearAt: 2, holdMs: 0 };
    expect(play(under, [2, 1, 0, 1, 2, 0])).toEqual(['2 raised', '4 cleared', '5 raised']);
  });
});

describe('the connection', () => {
  test('nodes are listed as people list them', () => {
    expect(parseNodes('a:1, b\n[::1]:3 ', 6379)).toEqual([
      { host: 'a', port: 1 },
      { host: 'b', port: 6379 },
      { host: '::1', port: 3 },
    ]);
    expect(() => parseNodes(' ', 1)).toThrow("'Nodes' is empty");
    expect(() => parseNodes('a:b', 1)).toThrow(`'Nodes' must be a list such as`);
    expect(() => parseNodes('a:99999', 1)).toThrow("'Port of a' must be from 1 to 65535");
  });

  test('braces are put around the prefix of a cluster, once', () => {
    const prefix = (value: string): string =>
      connectionOf(credential({ mode: 'cluster', nodes: 'a', prefix: value }), 1).prefix;
    expect([prefix('bull'), prefix('{bull}'), prefix('')]).toEqual(['{bull}', '{bull}', '{bull}']);
  });

  test('no error text reaches the user that was not written for him', () => {
    const error = Object.assign(new Error('something new about hunter2'), {
      command: { name: 'auth', args: ['hunter2'] },
    });
    const { message, description } = redisProblem('Redis at a:1', [error]);
    expect(message).toBe('Redis at a:1 cannot be read');
    expect(description).not.toContain('hunter2');
  });

  test('a transaction that was refused tells why', () => {
    const previousErrors = [new Error('MOVED 4242 127.0.0.1:6380')];
    const aborted = Object.assign(new Error('EXECABORT Transaction discarded'), { previousErrors });
    expect(redisProblem('Redis at a:1', [aborted]).message).toBe(
      "Redis at a:1 is a cluster: choose 'Cluster' in the credential",
    );
  });
});
