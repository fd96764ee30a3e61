{{- define "n8n-tuned.quantityPattern" -}}
^\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+|n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$
{{- end -}}

{{/*
A Kubernetes quantity as a number: plain, exponents (1e9, 1E3), decimal (k, M, G, T, P, E), binary (Ki ... Ei) and the
sub-units (n, u, m). Dict: value, at (where it stands in the values, for the message).
*/}}
{{- define "n8n-tuned.quantity" -}}
{{- $text := toString .value | trim -}}
{{- $pattern := include "n8n-tuned.quantityPattern" . -}}
{{- if not (regexMatch $pattern $text) -}}
{{- fail (printf "%s: %q is not a Kubernetes quantity: write, for example, 1536Mi, 1.5Gi, 2G or 1610612736%s." .at $text (ternary ", or 250m of CPU" "" (hasSuffix ".cpu" .at))) -}}
{{- end -}}
{{- $number := regexReplaceAll $pattern $text "${1}" | float64 -}}
{{- $suffix := regexReplaceAll $pattern $text "${2}" -}}
{{- $factors := dict
  "" 1.0 "n" 1e-9 "u" 1e-6 "m" 1e-3 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18
  "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 "Pi" 1125899906842624.0 "Ei" 1152921504606846976.0 -}}
{{- if hasKey $factors $suffix -}}
{{- $number = mulf $number (get $factors $suffix) -}}
{{- else -}}
{{- $exponent := atoi (regexReplaceAll "^[eE]\\+?" $suffix "") -}}
{{- if gt $exponent 0 -}}
{{- range until (int $exponent) }}{{- $number = mulf $number 10 -}}{{- end -}}
{{- else if lt $exponent 0 -}}
{{- range until (int (mul -1 $exponent)) }}{{- $number = divf $number 10 -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $number -}}
{{- end -}}

{{/* A quantity as whole MiB, rounded down. */}}
{{- define "n8n-tuned.mebibytes" -}}
{{- div (include "n8n-tuned.quantity" . | float64 | ceil | int64) 1048576 -}}
{{- end -}}

{{/* A share of a memory limit or a fixed quantity, as whole MiB. Dict: value ("1/2", "768Mi"), limitMiB, at. */}}
{{- define "n8n-tuned.share" -}}
{{- $text := toString .value -}}
{{- if regexMatch "^[0-9]+/[1-9][0-9]*$" $text -}}
{{- $parts := splitList "/" $text -}}
{{- div (mul .limitMiB (index $parts 0 | int64)) (index $parts 1 | int64) -}}
{{- else if regexMatch (include "n8n-tuned.quantityPattern" .) $text -}}
{{- include "n8n-tuned.mebibytes" (dict "value" .value "at" .at) -}}
{{- else -}}
{{- fail (printf "%s: %q is neither a fraction of the memory limit nor a quantity: write, for example, 1/2 or 768Mi." .at $text) -}}
{{- end -}}
{{- end -}}

{{/* A number of values.yaml without Go's exponent notation: 16777216, not 1.6777216e+07. */}}
{{- define "n8n-tuned.plain" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) -}}{{ int64 . }}{{- else -}}{{ toString . }}{{- end -}}
{{- end -}}
