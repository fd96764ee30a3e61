import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import {
  bundledPlace,
  standInPlan,
  upstreamCredential,
  type SeedingPlace,
  type SeedWorkflow,
} from '../../catalogue/seeding';
import type { Effect } from '../../analysis/effects';
import type { HostCount } from '../../stand-in/analysis/counts';
import { freePort } from '../process/ports';
import { accepts, awaitPort } from '../process/redis';
import { Supervisor } from '../process/supervisor';
import { effectsAt, servicesAt, upstream, upstreamUrl } from '../process/upstream';
import { Workspace } from '../process/workspace';
import { Mistake } from '../../ui/errors';
import type { Progress } from '../../ui/progress';

/** Whether a workflow that we put in can be given what it needs. */
export interface Reach {
  baseUrl: string;
  /** Workflows and credentials are put in by us. */
  seeds: boolean;
  /** The address at which that n8n reaches a stand-in on this machine; left out: on loopback, as an n8n here does. */
  standIn?: string | undefined;
}

/** What workflows need beside an n8n that already runs: given where it can be from here, else told. */
export class OutsideNeeds {
  /** In words: what somebody else must have seen to. */
  readonly unmet: string[] = [];
  private url: string | null = null;
  private helper: { supervisor: Supervisor; workspace: Workspace } | null = null;

  constructor(private readonly reach: Reach) {}

  get supervisor(): Supervisor | null {
    return this.helper?.supervisor ?? null;
  }

  /** Calls by host so far; null without a stand-in of ours. */
  services(): Promise<HostCount[] | null> {
    return this.url === null ? Promise.resolve(null) : servicesAt(this.url);
  }

  /** What workflows have told it; null without a stand-in of ours. */
  effects(): Promise<Effect[] | null> {
    return this.url === null ? Promise.resolve(null) : effectsAt(this.url);
  }

  get logs(): string[] {
    return this.helper?.workspace.logs ?? [];
  }

  /** Returns where the workflows are to find it. */
  async meet(workflows: readonly SeedWorkflow[], tell: Progress): Promise<Partial<SeedingPlace>> {
    const needs = new Set(workflows.flatMap((workflow) => workflow.needs ?? []));
    const { seeds, baseUrl, standIn } = this.reach;
    const place: Partial<SeedingPlace> = {};
    const twin = workflows.find((workflow) => workflow.standIn !== undefined);
    if (needs.has('upstream') && seeds && (standIn !== undefined || isLoopback(baseUrl))) {
      tell('starting the service that a workflow calls');
      place.upstreamUrl = await this.startUpstream(workflows);
      this.unmet.push(
        standIn === undefined
          ? 'access to the stand-in on 127.0.0.1 (if n8n runs in a container, set the address of this machine with --stand-in)'
          : `access to the stand-in on this machine at ${standIn}, which neither a firewall nor N8N_SSRF_PROTECTION_ENABLED may block`,
      );
    } else if (twin !== undefined) {
      throw new Mistake(
        seeds
          ? `${twin.name} is a twin, and n8n at ${baseUrl} runs on another machine: specify the address at which n8n reaches this machine, such as --stand-in http://10.0.0.5:5690.`
          : `${twin.name} is a twin, which is imported through the n8n API: set N8N_API_KEY in the environment.`,
      );
    } else if (needs.has('upstream')) {
      this.unmet.push(
        `a stand-in (n8n-tuned stand-in) that n8n reaches at ${bundledPlace.upstreamUrl}`,
      );
    }
    if (needs.has('credential') && !seeds) {
      const { name, type, data } = upstreamCredential();
      this.unmet.push(`the credential '${name}' (${type}, token ${data['token'] ?? ''})`);
    }
    if (needs.has('files')) {
      this.unmet.push(
        `the folder ${bundledPlace.filesFolder}, writable for n8n and allowed by N8N_RESTRICT_FILE_ACCESS_TO`,
      );
    }
    return place;
  }

  async end(): Promise<void> {
    if (this.helper === null) return;
    const { supervisor, workspace } = this.helper;
    this.helper = null;
    this.url = null;
    await supervisor.end();
    await workspace.remove();
    await supervisor.dismissReaper();
  }

  private async startUpstream(workflows: readonly SeedWorkflow[]): Promise<string> {
    const workspace = new Workspace();
    const supervisor = new Supervisor(randomBytes(4).toString('hex'), {
      kind: 'none',
      reason: 'it has no limits',
    });
    supervisor.watchFolder(workspace.folder);
    this.helper = { supervisor, workspace };
    const { standIn } = this.reach;
    const port = standIn === undefined ? await freePort() : portOf(standIn);
    const own = standIn === undefined ? LOOPBACK : await ownAddress(standIn);
    const reached = own ?? LOOPBACK;
    if (standIn !== undefined && (await accepts(port, reached))) {
      throw new Mistake(
        `port ${String(port)} of this machine is already in use: use another port in --stand-in.`,
      );
    }
    const plan = standInPlan(workflows);
    const planFile =
      plan === null ? undefined : workspace.writeConfig('stand-in.json', JSON.stringify(plan));
    // What is forwarded to this machine may arrive at any of its addresses.
    const host = own ?? '0.0.0.0';
    const place = workspace.place('upstream');
    await supervisor.start(upstream(process.execPath, port, place, { planFile, host }));
    await awaitPort(port, 'the upstream service', () => supervisor.runs('upstream'), reached);
    this.url = upstreamUrl(port, reached);
    return standIn ?? this.url;
  }
}

const portOf = (url: string): number => Number(new URL(url).port || 80);

const LOOPBACK = '127.0.0.1';

/** The IPv4 address of this machine that a URL names; null where it names none, such as that of a router before it. */
export async function ownAddress(
  url: string,
  resolve: (name: string) => Promise<{ address: string }> = (name) => lookup(name, { family: 4 }),
): Promise<string | null> {
  const address = await resolve(new URL(url).hostname).then(
    (found) => found.address,
    () => null,
  );
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.find((each) => each.family === 'IPv4' && each.address === address)?.address ?? null;
}

export const isLoopback = (url: string): boolean =>
  URL.canParse(url) && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
