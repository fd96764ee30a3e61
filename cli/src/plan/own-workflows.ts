/** Which webhook of the user's own workflows is loaded, and what of them stays off meanwhile. Pure. */
import type { ExportedWorkflow } from '../catalogue/exported-workflow';
import type { SeedWorkflow } from '../catalogue/seeding';
import {
  answers,
  isCalled,
  webhooksOf,
  withTriggersOff,
  type FileWebhook,
} from '../catalogue/triggers';
import { Mistake } from '../ui/exit';

export interface OwnFile {
  /** The name that the user gave. */
  name: string;
  file: string;
  workflows: readonly ExportedWorkflow[];
}

type Request = Pick<FileWebhook, 'method' | 'path'>;

const requestText = ({ method, path }: Request): string => `${method} /webhook/${path}`;

const listed = (webhooks: readonly FileWebhook[]): string =>
  webhooks.map((webhook) => `'${requestText(webhook)}'`).join(', ');

const allOf = ({ workflows }: OwnFile): FileWebhook[] => workflows.flatMap(webhooksOf);

const namesOf = (files: readonly OwnFile[]): string => files.map(({ name }) => name).join(' ');

/** The request to the only webhook of these files, written as for `--request`. */
export function onlyRequest(files: readonly OwnFile[]): string {
  const webhooks = files.flatMap(allOf);
  const [webhook, another] = webhooks;
  if (webhook === undefined) {
    throw new Mistake(
      `${namesOf(files)} has no active Webhook node, and only webhooks can be load-tested${beginning(files)}: export a workflow with a Webhook node.`,
    );
  }
  if (another !== undefined) {
    throw new Mistake(
      `${namesOf(files)} has ${String(webhooks.length)} webhooks: use --request to choose one of ${listed(webhooks)}.`,
    );
  }
  if (webhook.path === '' || webhook.path.startsWith('=')) {
    throw new Mistake(
      `the webhook ${webhook.node} of ${namesOf(files)} has no fixed path: set a path in the node, and export the workflow again.`,
    );
  }
  if (webhook.path.split('/').some((part) => part.startsWith(':'))) {
    throw new Mistake(
      `the path of the webhook in ${namesOf(files)} is ${webhook.path}: use --request to set its parameters, such as '${requestText(webhook).replaceAll(/:[^/]+/g, '7')}'.`,
    );
  }
  return requestText(webhook);
}

function beginning(files: readonly OwnFile[]): string {
  const off = files
    .flatMap(({ workflows }) => workflows)
    .flatMap((each) => withTriggersOff(each, () => false).off);
  return off.length === 0 ? '' : ` (the workflow begins with ${off.join(', ')})`;
}

/** With what is loaded of each file, and a line for each in which something stays off. */
export function loadedBy(
  requests: readonly Request[],
  files: readonly OwnFile[],
): { workflows: SeedWorkflow[]; notes: string[] } {
  const isLoaded = (webhook: FileWebhook): boolean =>
    requests.some((request) => answers(webhook, request));
  const [request] = requests;
  if (files.length > 0 && !files.flatMap(allOf).some(isLoaded)) {
    const webhooks = files.flatMap(allOf);
    throw new Mistake(
      `no webhook in ${namesOf(files)} accepts ${request?.method ?? ''} ${request?.path ?? ''}: ${webhooks.length === 0 ? 'it has no webhooks' : `choose one of ${listed(webhooks)}`}.`,
    );
  }
  const notes: string[] = [];
  const workflows = files.map((each): SeedWorkflow => {
    const loads = allOf(each).filter(isLoaded);
    if (loads.length === 0 && !each.workflows.some(isCalled)) {
      throw new Mistake(
        `${each.name} has no webhook to load-test, and no other workflow calls it: remove the file.`,
      );
    }
    const off = each.workflows.flatMap((workflow) => withTriggersOff(workflow, isLoaded).off);
    if (off.length > 0) notes.push(`switched off in the copy of ${each.name}: ${off.join(', ')}.`);
    return { name: each.name, file: each.file, loads };
  });
  return { workflows, notes };
}
