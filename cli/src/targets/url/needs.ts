import { randomBytes } from 'node:crypto';
import {
  bundledPlace,
  standInPlan,
  upstreamCredential,
  type SeedingPlace,
  type SeedWorkflow,
} from '../../catalogue/seeding';
import type { HostCount } from '../../stand-in/analysis/counts';
import { freePort } from '../process/ports';
import { awaitPort } from '../process/redis';
import { Supervisor } from '../process/supervisor';
import { servicesAt, upstream, upstreamUrl } from '../process/upstream';
import { Workspace } from '../process/workspace';
import type { Progress } from '../../ui/progress';

/** Whether a workflow that we put in can be given what it needs. */
export interface Reach {
  baseUrl: string;
  /** Workflows and credentials are put in by us. */
  seeds: boolean;
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

  get logs(): string[] {
    return this.helper?.workspace.logs ?? [];
  }

  /** Returns where the workflows are to find it. */
  async meet(workflows: readonly SeedWorkflow[], tell: Progress): Promise<Partial<SeedingPlace>> {
    const needs = new Set(workflows.flatMap((workflow) => workflow.needs ?? []));
    const { seeds, baseUrl } = this.reach;
    const place: Partial<SeedingPlace> = {};
    if (needs.has('upstream') && seeds && isLoopback(baseUrl)) {
      tell('starting the service that a workflow calls');
      place.upstreamUrl = await this.startUpstream(workflows);
    } else if (needs.has('upstream')) {
      this.unmet.push(
        `a stand-in (n8n-tuned stand-in) at ${bundledPlace.upstreamUrl}, as that n8n reaches it`,
      );
    }
    if (needs.has('credential') && !seeds) {
      const { name, type, data } = upstreamCredential();
      this.unmet.push(`the credential '${name}' (${type}, token ${data['token'] ?? ''})`);
    }
    if (needs.has('files')) {
      this.unmet.push(
        `the folder ${bundledPlace.filesFolder}, writable there and allowed by N8N_RESTRICT_FILE_ACCESS_TO`,
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
    const port = await freePort();
    const plan = standInPlan(workflows);
    const file =
      plan === null ? [] : [workspace.writeConfig('stand-in.json', JSON.stringify(plan))];
    const place = workspace.place('upstream');
    await supervisor.start(upstream(process.execPath, port, place, ...file));
    await awaitPort(port, 'the upstream service', () => supervisor.runs('upstream'));
    this.url = upstreamUrl(port);
    return this.url;
  }
}

const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
