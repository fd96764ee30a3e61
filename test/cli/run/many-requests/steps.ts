/** The two steps of many-requests.bench.ts, each in a process of its own, whose memory is told. */
import { recordWeek, reportAgain } from './week';

const [name, ...args] = process.argv.slice(2);
const began = performance.now();
const done =
  name === 'record'
    ? recordWeek(args[0] ?? '', args[1] ?? '', Number(args[2]))
    : reportAgain(args[0] ?? '');
void done.then((told) => {
  const seconds = (performance.now() - began) / 1000;
  const rssPeakMiB = process.resourceUsage().maxRSS / 1024;
  process.stdout.write(JSON.stringify({ seconds, rssPeakMiB, ...told }));
});
