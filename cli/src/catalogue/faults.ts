import { parseExpectation } from '../../../loadtests/lib/expect';
import { requestsOf } from '../../../loadtests/lib/workload';
import { filesOf, type Catalogue, type VariantName, type Workload } from './workload';

/** What the schema cannot say, one sentence each; none is right. `exists` knows paths in workflows/. */
export function faultsOf(catalogue: Catalogue, exists: (path: string) => boolean): string[] {
  return [
    ...repeated(catalogue.workloads.map(({ name }) => name)).map(
      (name) => `there are two workloads with the name ${name}`,
    ),
    ...catalogue.workloads.flatMap((workload) =>
      [
        ...shapeFaults(workload),
        ...fileFaults(workload, exists),
        ...parameterFaults(workload),
        ...blendFaults(workload, catalogue),
        ...requestFaults(workload, catalogue),
      ].map((fault) => `the workload ${workload.name} ${fault}`),
    ),
  ];
}

function shapeFaults(workload: Workload): string[] {
  const { request, response, blend, mayCrashN8n } = workload;
  const hasVariants = Object.keys(workload.variants).length > 0;
  if (blend !== undefined) {
    return request !== undefined || response !== undefined || hasVariants
      ? ['is a blend, so it cannot have its own request, response or variants']
      : [];
  }
  const faults: string[] = [];
  if ((request === undefined) !== (response === undefined)) {
    faults.push('has a request without a response, or a response without a request');
  }
  // What triggers itself loads n8n as soon as it is active.
  if (request === undefined && !mayCrashN8n) faults.push('has no request');
  if (!hasVariants) faults.push('has no workflow');
  return faults;
}

function fileFaults(workload: Workload, exists: (path: string) => boolean): string[] {
  return Object.values(workload.variants)
    .flatMap((variant) => (variant === undefined ? [] : filesOf(workload, variant)))
    .filter((file) => !exists(file))
    .map((file) => `names the workflow ${file}, which does not exist`);
}

function parameterFaults(workload: Workload): string[] {
  const known = Object.keys(workload.parameters);
  const texts = JSON.stringify([workload.request, workload.response, workload.variants]);
  const used = [...texts.matchAll(/\{([A-Za-z][A-Za-z0-9]*)\}/g)].map((match) => match[1] ?? '');
  const given = workload.copies === undefined ? known : [...known, 'copy'];
  return [
    ...unique(used.filter((name) => !given.includes(name))).map(
      (name) => `uses the parameter {${name}}, which it does not define`,
    ),
    ...given.filter((name) => !used.includes(name)).map((name) => `never uses {${name}}`),
    ...Object.entries(workload.parameters)
      .filter(([, { default: value, min = -Infinity, max = Infinity, type }]) => {
        if (type === 'string') return typeof value !== 'string';
        return typeof value !== 'number' || value < min || value > max;
      })
      .map(([name]) => `has an invalid default for ${name}: check its type and bounds`),
    ...(typeof workload.latencyFloorMs === 'object' &&
    !known.includes(workload.latencyFloorMs.parameter)
      ? ['has a latency floor that refers to a parameter that it does not define']
      : []),
  ];
}

function blendFaults(workload: Workload, { workloads }: Catalogue): string[] {
  return (workload.blend ?? []).flatMap(({ workload: part }) => {
    const found = workloads.find(({ name }) => name === part);
    if (found === undefined) return [`blends ${part}, which is not a workload`];
    return found.request === undefined ? [`blends ${part}, which has no request`] : [];
  });
}

/** Makes the requests of each variant as a load test would. */
function requestFaults(workload: Workload, catalogue: Catalogue): string[] {
  if (workload.request === undefined || workload.response === undefined) return [];
  const variants = Object.keys(workload.variants) as VariantName[];
  return variants.flatMap((variant) => {
    try {
      for (const { expect } of requestsOf(catalogue, workload.name, { variant })) {
        expect.forEach(parseExpectation);
      }
      return [];
    } catch (error) {
      return [
        `has an invalid request or response: ${error instanceof Error ? error.message : String(error)}`,
      ];
    }
  });
}

function repeated(names: readonly string[]): string[] {
  return unique(names.filter((name, index) => names.indexOf(name) !== index));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
