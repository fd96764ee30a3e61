#!/usr/bin/env bash
# The lab's programs for a shell. Sourced, it sets PATH and the variables N8N_TUNED_*; run, it prints them,
# so that `eval "$(lab/env.sh)"` does the same. It installs nothing: that is install.sh.
# shellcheck source-path=SCRIPTDIR source=places.sh
. "$(cd "$(dirname "${BASH_SOURCE[0]:-$0}")" && pwd)/places.sh"

lab_variables() {
  cat <<END
N8N_TUNED_CACHE=$CACHE
N8N_TUNED_NODE24=$BIN/node24
N8N_TUNED_NODE18=$BIN/node18
N8N_TUNED_N8N=$CACHE/n8n/$N8N_VERSION/node_modules/n8n/bin/n8n
N8N_TUNED_N8N_LEGACY=$CACHE/n8n/$N8N_LEGACY_VERSION/node_modules/n8n/bin/n8n
N8N_TUNED_K6=$BIN/k6
N8N_TUNED_HELM3=$BIN/helm3
N8N_TUNED_HELM4=$BIN/helm4
N8N_TUNED_HELM_UNITTEST=$BIN/helm-unittest
N8N_TUNED_KUBECONFORM=$BIN/kubeconform
N8N_TUNED_HELM_DOCS=$BIN/helm-docs
END
}

case :$PATH: in
  :"$BIN":*) lab_path=$PATH ;;
  *) lab_path=$BIN:$PATH ;;
esac
while IFS='=' read -r lab_name lab_value; do
  if [ "${BASH_SOURCE[0]:-sourced}" = "$0" ]; then
    printf "export %s=%q\n" "$lab_name" "$lab_value"
  else
    export "$lab_name=$lab_value"
  fi
done <<END
$(lab_variables)
PATH=$lab_path
END
unset lab_name lab_value lab_path
unset -f lab_variables
