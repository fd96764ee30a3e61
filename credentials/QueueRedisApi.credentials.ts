import type { ICredentialType, IconFile, INodeProperties, Themed } from 'n8n-workflow';
import { themedIcon } from '../nodes/shared/icon';

/** All that a user of Redis needs to read the queue; what is documented is tested against a real server. */
export const READER_RIGHTS =
  '~bull:* +select +client|list +multi +exec +exists +hexists +hget +llen +lrange +zcard +zrange';

/** In a Redis Cluster n8n puts the prefix in braces, and the client asks where the keys are. */
export const CLUSTER_READER_RIGHTS = `${READER_RIGHTS.replace('~bull:*', '~{bull}:*')} +cluster|slots`;

/** What the node Once needs beside that, for its own keys alone. */
export const ONCE_RIGHTS = `${READER_RIGHTS} (~bull:once:* +get +set)`;

export class QueueRedisApi implements ICredentialType {
  name = 'queueRedisApi';

  displayName = 'Queue Redis API';

  icon: Themed<IconFile> = {
    light: 'file:queueRedisApi.svg',
    dark: 'file:queueRedisApi.dark.svg',
  };

  documentationUrl = 'https://docs.n8n.io/hosting/scaling/queue-mode/';

  properties: INodeProperties[] = [
    {
      displayName: 'Connection Type',
      name: 'mode',
      type: 'options',
      default: 'single',
      options: [
        { name: 'Cluster', value: 'cluster', description: 'As in QUEUE_BULL_REDIS_CLUSTER_NODES' },
        { name: 'Single Server', value: 'single', description: 'As in QUEUE_BULL_REDIS_HOST' },
        {
          name: 'Sentinel',
          value: 'sentinel',
          description: 'Sentinels name the primary server',
        },
      ],
    },
    {
      displayName: 'Host',
      name: 'host',
      type: 'string',
      default: 'localhost',
      displayOptions: { show: { mode: ['single'] } },
      description: 'As in QUEUE_BULL_REDIS_HOST of n8n',
    },
    {
      displayName: 'Port',
      name: 'port',
      type: 'number',
      default: 6379,
      typeOptions: { minValue: 1, maxValue: 65535 },
      displayOptions: { show: { mode: ['single'] } },
      description: 'As in QUEUE_BULL_REDIS_PORT of n8n',
    },
    {
      displayName: 'Nodes',
      name: 'nodes',
      type: 'string',
      default: '',
      placeholder: 'e.g. redis-1:6379, redis-2:6379',
      displayOptions: { show: { mode: ['cluster', 'sentinel'] } },
      description: 'Host and port of each node, or of each Sentinel, separated by commas',
    },
    {
      displayName: 'Group Name',
      name: 'sentinelGroup',
      type: 'string',
      default: 'mymaster',
      displayOptions: { show: { mode: ['sentinel'] } },
      description: 'The name of the group of servers in the configuration of the Sentinels',
    },
    {
      displayName: 'Sentinel Password',
      name: 'sentinelPassword',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      displayOptions: { show: { mode: ['sentinel'] } },
      description: 'Password of the Sentinels, if they require one',
    },
    {
      displayName: 'User',
      name: 'user',
      type: 'string',
      default: '',
      description: `As in QUEUE_BULL_REDIS_USERNAME of n8n. These rights are enough: ${READER_RIGHTS}. The node Once also needs (~bull:once:* +get +set).`,
    },
    {
      displayName: 'Password',
      name: 'password',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      description: 'As in QUEUE_BULL_REDIS_PASSWORD of n8n',
    },
    {
      displayName: 'Database',
      name: 'database',
      type: 'number',
      default: 0,
      typeOptions: { minValue: 0, maxValue: 65535 },
      displayOptions: { show: { mode: ['single', 'sentinel'] } },
      description: 'As in QUEUE_BULL_REDIS_DB of n8n',
    },
    {
      displayName: 'Key Prefix',
      name: 'prefix',
      type: 'string',
      default: 'bull',
      description: 'As in QUEUE_BULL_PREFIX of n8n',
    },
    {
      displayName: 'Use TLS',
      name: 'tls',
      type: 'boolean',
      default: false,
      description: 'Whether to encrypt the connection, as with QUEUE_BULL_REDIS_TLS',
    },
    {
      displayName: 'CA Certificate',
      name: 'ca',
      type: 'string',
      typeOptions: { rows: 4 },
      default: '',
      placeholder: 'e.g. -----BEGIN CERTIFICATE-----',
      displayOptions: { show: { tls: [true] } },
      description:
        'Certificate of the authority that signed the certificate of Redis. Leave empty for the authorities that Node.js trusts.',
    },
  ];

  constructor() {
    this.icon = themedIcon({
      light: 'file:queueRedisApi.svg',
      dark: 'file:queueRedisApi.dark.svg',
    });
  }
}
