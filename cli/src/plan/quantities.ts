/** CPU and memory as people and Kubernetes write them. */
import { Mistake } from '../ui/exit';

/** `500m`, `0.5`, `2`: millicores. */
export function parseCpu(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(m?)$/.exec(text.trim());
  const millicores = Math.round(Number(match?.[1]) * (match?.[2] === 'm' ? 1 : 1000));
  if (match === null || millicores < 1) {
    throw new Mistake(`'${text}' is not an amount of CPU: use a form such as 500m, 0.5 or 2`);
  }
  return millicores;
}

const MIB: Record<string, number> = {
  '': 1,
  Mi: 1,
  Gi: 1024,
  M: 1e6 / (1024 * 1024),
  G: 1e9 / (1024 * 1024),
};

/** `1024`, `1024Mi`, `1Gi`, `1G`: MiB. */
export function parseMemory(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(Mi|Gi|M|G)?B?$/.exec(text.trim());
  const mebibytes = Math.round(Number(match?.[1]) * (MIB[match?.[2] ?? ''] ?? 1));
  if (match === null || mebibytes < 1) {
    throw new Mistake(`'${text}' is not an amount of memory: use a form such as 1024Mi or 1Gi`);
  }
  return mebibytes;
}

const KIB: Record<string, number> = { Ki: 1, Mi: 1024, K: 1000 / 1024, M: 1e6 / 1024 };

/** `50Ki`, `2Mi`, `50K`, `2M`: KiB, of data rather than of a process, so that less than a MiB counts. */
export function parseDataSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(Ki|Mi|K|M)B?$/.exec(text.trim());
  const kibibytes = Number(match?.[1]) * (KIB[match?.[2] ?? ''] ?? 1);
  if (match === null || !(kibibytes > 0)) {
    throw new Mistake(`'${text}' is not an amount of data: use a form such as 50Ki or 2Mi`);
  }
  return kibibytes;
}
