import { SURVIVED, type Fault } from '../fault';
import { allOf, lasting, needsNewer, seconds } from '../make';

/** Main makes schedules due, and without N8N_SCHEDULER_ENABLED keeps them in memory. */
export const crashAcrossASchedule: Fault = {
  name: 'crash-across-a-schedule',
  title: 'SIGKILL of main, which stays away over several due times of a schedule',
  kind: 'accident',
  usualSeconds: 20,
  promise: `${SURVIVED},due-never=0,due-repeated=0`,
  schedule: { file: 'schedule.json', everySeconds: 2 },
  lacks: needsNewer,
  make: async (scene) => {
    const { access, tell, lastsMs } = scene;
    const mains = allOf(scene, 'main');
    tell(`SIGKILL of ${mains.join(', ')}, away for ${seconds(lastsMs)}`);
    const startAgain = await Promise.all(mains.map((main) => access.keepDown(main, 0)));
    await lasting(scene);
    for (const start of startAgain) await start();
    tell(`${mains.join(', ')} started again`);
  },
};
