#!/usr/bin/env bash
# The cluster's certificates and kubeconfigs in $PKI; made once, kept until the state is wiped.
set -euo pipefail
. "$(dirname "$0")/../settings.sh"
mkdir -p "$PKI"
chmod 700 "$PKI"
cd "$PKI"

key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key" 2>/dev/null; }
authority() { # authority NAME
  [ -s "$1.crt" ] && return
  key "$1"
  openssl req -x509 -new -key "$1.key" -days 3650 -subj "/CN=n8n-tuned-$1" \
    -addext keyUsage=critical,keyCertSign,cRLSign,digitalSignature -out "$1.new"
  mv "$1.new" "$1.crt"
}
certificate() { # certificate NAME AUTHORITY SUBJECT USAGE [ALTERNATIVE_NAMES]
  [ -s "$1.crt" ] && return
  key "$1"
  openssl req -new -key "$1.key" -subj "$3" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA "$2.crt" -CAkey "$2.key" -CAcreateserial -days 3650 -out "$1.new" 2>/dev/null \
    -extfile <(echo "extendedKeyUsage=$4"; echo keyUsage=critical,digitalSignature; [ -z "${5-}" ] || echo "subjectAltName=$5")
  mv "$1.new" "$1.crt"
  rm "$1.csr"
}
kubeconfig() { # kubeconfig NAME: for the certificate of that name
  cat >"$1.kubeconfig" <<Y
apiVersion: v1
kind: Config
current-context: n8n-tuned
clusters: [{name: n8n-tuned, cluster: {server: "https://$NODE_IP:6443", certificate-authority: $PKI/ca.crt}}]
users: [{name: n8n-tuned, user: {client-certificate: $PKI/$1.crt, client-key: $PKI/$1.key}}]
contexts: [{name: n8n-tuned, context: {cluster: n8n-tuned, user: n8n-tuned}}]
Y
}

authority ca
authority front-proxy-ca
[ -s sa.pub ] || { key sa; openssl ec -in sa.key -pubout -out sa.pub 2>/dev/null; }
certificate apiserver ca /CN=kube-apiserver serverAuth \
  "DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local,DNS:localhost,IP:127.0.0.1,IP:$NODE_IP,IP:$API_IP"
certificate kubelet-serving ca "/O=system:nodes/CN=system:node:$NODE" serverAuth "DNS:$NODE,IP:$NODE_IP"
certificate apiserver-kubelet ca /O=system:masters/CN=kube-apiserver-kubelet-client clientAuth
certificate front-proxy front-proxy-ca /CN=front-proxy-client clientAuth
while read -r name subject; do
  certificate "$name" ca "$subject" clientAuth
  kubeconfig "$name"
done <<Y
admin /O=system:masters/CN=admin
controller-manager /CN=system:kube-controller-manager
scheduler /CN=system:kube-scheduler
proxy /O=system:node-proxier/CN=system:kube-proxy
kubelet /O=system:nodes/CN=system:node:$NODE
metrics /O=system:masters/CN=metrics-server
Y
cp admin.kubeconfig "$ADMIN_KUBECONFIG"
