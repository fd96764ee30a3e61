/** All that a user of Redis needs to read the queue; what is documented is tested against a real server. */
export const READER_RIGHTS =
  '~bull:* +select +client|list +multi +exec +exists +hexists +hget +llen +lrange +zcard +zrange';

/** In a Redis Cluster n8n puts the prefix in braces, and the client asks where the keys are. */
export const CLUSTER_READER_RIGHTS = `${READER_RIGHTS.replace('~bull:*', '~{bull}:*')} +cluster|slots`;
