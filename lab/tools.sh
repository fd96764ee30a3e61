# shellcheck shell=bash disable=SC2034,SC2154
# The tools of the lab by their names, in order. Each function sets what load_tool in steps.sh lists: the kind, which is a
# file in kinds/, the version, the programs. Its lines are part of the fingerprint by which a change is installed.

tool_actionlint() {
  about='checks what GitHub runs'
  kind=go
  version=$ACTIONLINT_VERSION
  package=github.com/rhysd/actionlint/cmd/actionlint
  stamps="github.com/rhysd/actionlint.version=$version"
  own_program=actionlint own_version_argument=-version own_from=1.7.7 own_below=2.0.0
}

tool_all() {
  kind=group
  requires=$(own_tools)
}

tool_build-tools() {
  about='builds native modules'
  kind=apt
  packages='g++ make python3'
  commands='g++ make python3'
}

tool_chromium() {
  about='opens reports and n8n in the browser tests'
  kind=apt
  packages='chromium'
  programs=chromium
}

tool_cluster-tests() {
  kind=group
  requires='node24 helm3 helm4 k6 images'
}

tool_cluster() {
  about='a real Kubernetes of one node'
  kind=script
  script='cluster/cluster build'
  contents='cluster/bin/kube-apiserver cluster/bin/containerd'
}

tool_helm-docs() {
  about="writes the chart's README from its values"
  kind=go
  version=$HELM_DOCS_VERSION
  package=github.com/norwoodj/helm-docs/cmd/helm-docs
  stamps="main.version=${version#v}"
  # What it writes is committed, so only this very version will do.
  own_program=helm-docs own_version_argument=--version own_from=${version#v} own_below=${version#v}.1
}

tool_helm-unittest() {
  about='tests what the chart renders'
  kind=go
  version=$HELM_UNITTEST_VERSION
  package=github.com/helm-unittest/helm-unittest/cmd/helm-unittest
  # The second and third: without them Helm, within it, renders for Kubernetes 1.20.
  stamps="github.com/helm-unittest/helm-unittest/internal/build.version=${version#v}
    helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1 helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=$(kubernetes_minor)"
  lasts='about 2 min'
}

tool_helm3() {
  about='installs the chart; the line that most clusters are run with'
  kind=go
  version=$HELM3_VERSION
  package=helm.sh/helm/v3/cmd/helm
  # Without them Helm renders for Kubernetes 1.20.
  stamps="helm.sh/helm/v3/internal/version.version=$version
    helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1 helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=$(kubernetes_minor)
    helm.sh/helm/v3/pkg/lint/rules.k8sVersionMajor=1 helm.sh/helm/v3/pkg/lint/rules.k8sVersionMinor=$(kubernetes_minor)"
  lasts='about 4 min'
  own_program=helm own_version_argument='version --short' own_from=3.18.0 own_below=4.0.0
}

tool_helm4() {
  about='installs the chart by server-side apply'
  kind=go
  version=$HELM4_VERSION
  package=helm.sh/helm/v4/cmd/helm
  stamps="helm.sh/helm/v4/internal/version.version=$version"
  lasts='about 2 min'
  own_program=helm own_version_argument='version --short' own_from=4.0.0 own_below=5.0.0
}

tool_http-frameworks() {
  about='Express and NestJS, for studies/memory-over-time'
  kind=npm-program
  version=$HTTP_FRAMEWORKS_VERSION
  contents='node_modules/express/package.json node_modules/@nestjs/core/package.json'
}

tool_image-archives() {
  about='the images of n8n, its task runners and its stores as archives, which podman and docker load'
  kind=script
  requires='images podman'
  script="images/archive.sh n8nio/n8n:$N8N_VERSION library/redis:$REDIS_IMAGE_TAG library/postgres:$POSTGRES_IMAGE_TAG n8nio/runners:$N8N_VERSION"
  contents="images/n8n-$N8N_VERSION.tar images/runners-$N8N_VERSION.tar images/redis-$REDIS_IMAGE_TAG.tar images/postgres-$POSTGRES_IMAGE_TAG.tar"
}

tool_images() {
  about='the images that its pods use'
  kind=script
  requires='n8n n8n-legacy k6 nginx postgresql17 cluster'
  script=images/build.sh
  contents=cluster/registry
}

tool_iptables() {
  about='spreads connections over ports, in a network of its own'
  kind=apt
  packages='iptables iproute2 util-linux'
  commands='iptables ip unshare'
  only_linux_x64=yes
}

tool_k6() {
  about='makes the load'
  kind=go
  version=$K6_VERSION
  package=go.k6.io/k6
  stamps=
  lasts='about 4 min'
  own_program=k6 own_version_argument=version own_from=1.8.0 own_below=3.0.0
}

tool_kube-state-metrics() {
  about='tells Prometheus the state of pods, for alerts on the cluster'
  kind=go
  version=$KUBE_STATE_METRICS_VERSION
  package=k8s.io/kube-state-metrics/v2
  stamps="github.com/prometheus/common/version.Version=$version"
  lasts='about 3 min'
}

tool_kubeconform() {
  about='checks manifests against the schemas of Kubernetes'
  kind=go
  version=$KUBECONFORM_VERSION
  package=github.com/yannh/kubeconform/cmd/kubeconform
  stamps="main.version=$version"
  own_program=kubeconform own_version_argument=-v own_from=0.6.7 own_below=1.0.0
}

tool_n8n-legacy() {
  about='the last n8n that knows EXECUTIONS_PROCESS'
  kind=n8n
  version=$N8N_LEGACY_VERSION
  node=node18
}

tool_n8n() {
  about='the n8n that is loaded'
  kind=n8n
  version=$N8N_VERSION
  node=node24
}

tool_nginx() {
  about='balances over processes'
  kind=apt
  packages='nginx-light'
  programs=nginx
}

tool_node18() {
  about='runs n8n below 1.0'
  kind=node
  version=$NODE18_VERSION
}

tool_node24() {
  about='runs n8n 2 and the tests'
  kind=node
  version=$NODE24_VERSION
}

tool_pm2() {
  about='keeps Node.js servers running, for studies/cluster-loop'
  kind=npm-program
  version=$PM2_VERSION
  programs='pm2 pm2-runtime'
}

tool_podman() {
  about='runs images of n8n on this machine (--target container)'
  kind=apt
  packages='podman runc netavark aardvark-dns'
  commands='podman runc'
  only_linux_x64=yes
}

tool_postgres_exporter() {
  about='tells Prometheus about PostgreSQL, for alerts on the cluster'
  kind=go
  version=$POSTGRES_EXPORTER_VERSION
  package=github.com/prometheus-community/postgres_exporter/cmd/postgres_exporter
  stamps="github.com/prometheus/common/version.Version=$version"
}

tool_postgresql() {
  about="n8n's database in queue mode"
  kind=apt
  packages='postgresql'
  programs='postgres initdb pg_ctl'
}

tool_postgresql17() {
  about='is in the image of the PostgreSQL that the chart deploys'
  kind=postgresql
  version=$POSTGRES_IMAGE_TAG
}

tool_prometheus() {
  about='checks alerts, and runs the queries of dashboards'
  kind=apt
  packages='prometheus'
  programs='promtool prometheus'
}

tool_redis() {
  about='carries the queue'
  kind=apt
  packages='redis-server'
  programs=redis-server
}

tool_redis_exporter() {
  about='tells Prometheus about Redis, for alerts on the cluster'
  kind=go
  version=$REDIS_EXPORTER_VERSION
  package=github.com/oliver006/redis_exporter
  stamps="main.BuildVersion=$version"
}

tool_shellcheck() {
  about='checks shell scripts'
  kind=apt
  packages=shellcheck
  programs=shellcheck
}

tool_tests() {
  # What the tests need that need no cluster.
  kind=group
  requires='node24 node18 n8n n8n-legacy k6 helm3 helm4 helm-unittest kubeconform helm-docs versitygw redis postgresql nginx prometheus chromium shellcheck actionlint'
}

tool_versitygw() {
  about='is the S3 server of the tests'
  kind=go
  version=$VERSITYGW_VERSION
  package=github.com/versity/versitygw/cmd/versitygw
  stamps="main.Version=$version"
  lasts='about 5 min'
  own_program=versitygw own_version_argument=--version own_from=1.8.0 own_below=2.0.0
}

tool_watchers() {
  about='what Prometheus asks on the cluster, beside n8n'
  kind=group
  requires='prometheus kube-state-metrics redis_exporter postgres_exporter'
}
