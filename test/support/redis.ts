/** The arguments of a Redis of a test's own, which keeps nothing and lets everybody in. */
export const plainRedis = (port: number, folder: string): string[] => [
  ...['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
  ...['--dir', folder],
];
