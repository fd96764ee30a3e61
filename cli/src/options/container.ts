/** Options of the target container. */
import type { Command } from 'commander';
import { chooseTopology, type TopologyChoice } from '../plan/chosen-topology';
import { readComposeFile, type ComposeRunners } from '../plan/compose';
import { contradiction, type Topology } from '../plan/topology';
import type { ContainerTargetOptions } from '../targets/container/container-target';
import { containerTarget } from '../targets/container/container-target';
import { versionInTag } from '../targets/container/images';
import type { Deployer } from '../targets/deploy';

export interface ContainerFlags {
  image?: string;
  redisImage?: string;
  postgresImage?: string;
  runnersImage?: string;
  containerEngine?: string;
}

export function withContainerOptions(command: Command): Command {
  return command
    .option(
      '--image <image>',
      "n8n image: a name such as n8nio/n8n:2.41.1, a digest, or an archive whose name ends in .tar (default: n8n's official image for the version)",
    )
    .option('--redis-image <image>', 'queue mode: Redis or Valkey image (default: as in the chart)')
    .option('--postgres-image <image>', 'PostgreSQL image (default: as in the chart)')
    .option(
      '--runners-image <image>',
      "run Code nodes beside n8n, in containers from an image such as n8nio/runners:2.41.1; none: inside n8n's containers (default: as in the Compose file, otherwise none)",
    )
    .option(
      '--container-engine <engine>',
      'podman, docker, or the path of either (default: the first that responds)',
    );
}

type Images = Pick<
  ContainerTargetOptions,
  'image' | 'redisImage' | 'postgresqlImage' | 'runners' | 'engine' | 'isVersionNamed'
>;

/** The options go over what the Compose file says. */
export const imagesOf = (
  flags: ContainerFlags & Pick<TopologyChoice, 'n8n'>,
  runners: ComposeRunners = { limits: {}, env: {} },
): Images => ({
  image: flags.image ?? null,
  redisImage: flags.redisImage ?? null,
  postgresqlImage: flags.postgresImage ?? null,
  runners:
    flags.runnersImage === undefined || flags.runnersImage === 'none'
      ? null
      : { image: flags.runnersImage, ...runners },
  engine: flags.containerEngine ?? null,
  isVersionNamed: flags.n8n !== undefined,
});

/** With the version that the image's tag names, where nobody names another. */
export function topologyInImage(choice: TopologyChoice & ContainerFlags): Topology {
  const tagged = choice.image === undefined ? null : versionInTag(choice.image);
  return chooseTopology({ ...choice, n8n: choice.n8n ?? tagged ?? undefined });
}

/** The images of a Compose file, under the options, and what is to be said of the file. */
export function withComposeImages(
  flags: ContainerFlags & TopologyChoice,
): ContainerFlags & Pick<ContainerTargetOptions, 'notes'> & { runners?: ComposeRunners } {
  if (flags.compose === undefined) return flags;
  const { images, runners, taken, left } = readComposeFile(flags.compose);
  const own = {
    ...{ image: images.n8n, redisImage: images.redis, postgresImage: images.postgresql },
    runnersImage: images.runners,
  };
  const known = Object.entries(own).flatMap(([name, image]) =>
    image === null ? [] : [[name, image]],
  );
  return {
    ...{ ...Object.fromEntries(known), ...flags, runners },
    notes: [
      `${flags.compose}: ${taken.join('; ')}`,
      ...left.map((line) => `${flags.compose ?? ''}: ${line}`),
    ],
  };
}

/** For a caller that has the topologies already: what their versions are is asked of the image. */
export const inContainers = (images: Images): Deployer => ({
  loadsFromHere: true,
  cannot: contradiction,
  deploy: ({ topology, workflows, readyTimeoutMs }) =>
    containerTarget({ ...images, topology, workflows, readyTimeoutMs }),
});
