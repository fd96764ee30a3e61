/** The programs that a topology is made of, as paths. */
export interface Tools {
  node: string;
  n8n: string;
  /** Reads SQLite files; at least Node.js 24. */
  sqliteNode: string;
  redisServer: string | null;
  /** The folder of initdb and postgres. */
  postgresqlBin: string | null;
  nginx: string | null;
  /** Our own nodes, built; null: they are not built. */
  nodesFolder: string | null;
}
