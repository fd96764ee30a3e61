/** Why nothing can be measured in pods here; null where it can. */
export const whyNoCluster = (): string | null =>
  (process.env['KUBECONFIG'] ?? '') !== ''
    ? null
    : 'it needs a cluster: run it with lab/cluster/cluster exec, or set KUBECONFIG';
