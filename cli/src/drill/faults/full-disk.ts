import { whyNoMount } from '../../linux/small-disk';
import { Failure } from '../../ui/exit';
import { SURVIVED, type Fault } from '../fault';
import { lasting, needsNothing, seconds } from '../make';

/**
 * The disk of the database; on the target process in regular mode also that of n8n's user folder, with its binary data.
 */
export const fullDisk: Fault = {
  name: 'full-disk',
  title: 'no space left on the disk of the database for a while',
  kind: 'accident',
  usualSeconds: 20,
  isOnSmallDisk: true,
  promise: SURVIVED,
  notHere: whyNoMount,
  lacks: needsNothing,
  make: async (scene) => {
    const { access, tell, lastsMs } = scene;
    if (access.fillDisk === undefined)
      throw new Failure('this n8n lies on a disk that the command does not manage');
    const { what, usedMiB, freeUp } = await access.fillDisk();
    tell(
      `the disk of ${what}, with ${usedMiB.toFixed(0)} MiB on it, is full for ${seconds(lastsMs)}`,
    );
    await lasting(scene);
    await freeUp();
    tell(`the disk of ${what} has space again`);
  },
};
