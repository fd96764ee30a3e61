#!/bin/sh
# Runs n8n as the original image does: `worker`, `webhook`, `start` and any other word are n8n's own
# commands; certificates mounted at /opt/custom-certificates are trusted.
if [ -d /opt/custom-certificates ]; then
  echo 'Trusting the certificates in /opt/custom-certificates'
  export NODE_OPTIONS="--use-openssl-ca ${NODE_OPTIONS-}"
  export SSL_CERT_DIR=/opt/custom-certificates
  # A mounted secret is read-only: its certificates are then linked, by hash, from a folder that is not.
  if ! openssl rehash "$SSL_CERT_DIR" 2>/dev/null; then
    SSL_CERT_DIR=$(mktemp -d)
    cp -L /opt/custom-certificates/* "$SSL_CERT_DIR" 2>/dev/null
    openssl rehash "$SSL_CERT_DIR"
  fi
fi
exec n8n "$@"
