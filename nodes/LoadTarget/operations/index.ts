import type { INodeProperties } from 'n8n-workflow';
import { cpu } from './cpu';
import { diskRead } from './diskRead';
import { diskWrite } from './diskWrite';
import { fail } from './fail';
import { json } from './json';
import { memory } from './memory';
import type { Operation } from './operation';
import { payload } from './payload';
import { wait } from './wait';

const all: Operation[] = [cpu, diskRead, diskWrite, fail, json, memory, payload, wait];

export const operations = new Map(
  all.map((operation) => [String(operation.option.value), operation]),
);

export const operationOptions = all.map(({ option }) => option);

/** Each operation's parameters, shown only when it is chosen. */
export const operationProperties: INodeProperties[] = all.flatMap(({ option, properties }) =>
  properties.map((property) => ({
    ...property,
    displayOptions: { show: { ...property.displayOptions?.show, operation: [option.value] } },
  })),
);
