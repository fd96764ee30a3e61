/** A small web server of the shell image that answers with what it is given, and a Service before it. */
export function webServer(name: string, files: Record<string, string>, replicas = 1): object[] {
  const write = Object.entries(files).map(
    ([path, content]) =>
      `mkdir -p "$(dirname /tmp/www${path})"; printf '%s' '${content}' > /tmp/www${path}`,
  );
  const script = [...write, 'exec httpd -f -p 8080 -h /tmp/www'].join('; ');
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: {
            terminationGracePeriodSeconds: 0,
            containers: [
              {
                name: 'web',
                image: 'busybox:1.35',
                command: ['sh', '-c', script],
                ports: [{ name: 'http', containerPort: 8080 }],
                readinessProbe: { tcpSocket: { port: 'http' }, periodSeconds: 1 },
              },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
  ];
}

/** A pod of one shell script, which is not started again. */
export function shellPod(
  name: string,
  script: string,
  container: object = {},
  pod: object = {},
): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      containers: [
        { name: 'c', image: 'busybox:1.35', command: ['sh', '-c', script], ...container },
      ],
      ...pod,
    },
  };
}
