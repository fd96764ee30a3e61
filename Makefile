# The front door. `make` alone lists what it can do.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

RESULTS ?= results/capacity
WORKLOADS ?= last-node items
BUDGET ?= 5m
# What find does if something else uses this machine: wait, and refuse in the end. BUSY=--anyway measures all the same.
BUSY ?= --wait-for-quiet 2m
N8N_TUNED := node cli/dist/cli.js

##@ The two commands
.PHONY: capacity test
capacity: build ## estimate how much load the embedded n8n sustains; reports and values.yaml in results/capacity/latest
	@lab/install.sh node24 n8n k6
	@run=$(RESULTS)/$$(date -u +%Y%m%dT%H%M%SZ); mkdir -p "$$run"; \
	for workload in $(WORKLOADS); do \
	  echo "== $$workload" >&2; \
	  $(N8N_TUNED) find --workload $$workload --slo 'p95<300ms' --slo 'errors<1%' \
	    --budget $(BUDGET) $(BUSY) --out "$$run" || [ $$? -eq 3 ]; \
	  if rmdir "$$run" 2>/dev/null; then echo "no values were written: nothing was measured" >&2; exit 3; fi; \
	done; \
	ln -sfn "$${run##*/}" $(RESULTS)/latest; \
	$(N8N_TUNED) recommend --from "$$run" --workload $(firstword $(WORKLOADS)) --write "$$run/values.yaml"

test: build ## every test that needs no cluster
	@lab/install.sh tests
	@npx tsx test/run.ts

##@ All targets
.PHONY: setup build lab check lint format typecheck generate dashboards
setup: node_modules/.package-lock.json ## npm packages

node_modules/.package-lock.json: package.json cli/package.json package-lock.json
	@command -v npm >/dev/null || { echo "make: npm is missing: install Node.js 20 or newer with npm" >&2; exit 2; }
	@if [ -L node_modules ]; then echo "make: node_modules is a symbolic link: its packages are used as they are" >&2; \
	else npm ci --no-audit --no-fund --loglevel=error && touch $@; fi

SOURCES := $(shell find nodes credentials cli/src loadtests workflows charts/n8n-tuned/tools -type f 2>/dev/null)
build: cli/dist/cli.js ## the node package and the command, compiled, and what the chart carries of them

cli/dist/cli.js: node_modules/.package-lock.json $(SOURCES)
	@npm run --silent build
	@touch $@

lab: ## every tool of the lab, into its cache
	@lab/install.sh all

check: build ## lint, types and the tests that need no tool of the lab: for fast feedback while you edit
	@npx tsx test/run.ts --check

lint: setup ## ESLint, formatting, shell scripts
	@npx tsx test/run.ts lint

format: setup ## format everything
	@npm run --silent format

typecheck: setup ## strict TypeScript
	@npx tsx test/run.ts types

generate: build ## rewrite the files that are generated from others
	@npm run --silent generate

dashboards: build ## put load on n8n under Prometheus, and draw every panel of the dashboards into monitoring/dashboards/drawn
	@lab/install.sh node24 n8n k6 redis postgresql nginx prometheus
	@npx tsx monitoring/measure.ts
	@npm run --silent generate

##@ A real Kubernetes on this machine
.PHONY: cluster-up cluster-down images test-cluster capacity-cluster
cluster-up: ## start it, or find the one that runs
	@lab/install.sh cluster
	@lab/cluster/cluster up

cluster-down: ## stop it, leaving nothing behind
	@lab/cluster/cluster down

images: ## build the images of its pods from the lab's own parts
	@lab/install.sh images

test-cluster: build ## the tests that need a real Kubernetes; stops the cluster again if it was not running
	@lab/install.sh cluster-tests
	@lab/cluster/cluster status >/dev/null 2>&1 || trap 'lab/cluster/cluster down' EXIT; \
	lab/cluster/cluster up && npx tsx test/run.ts --cluster

capacity-cluster: build ## the same as make capacity, with n8n in pods; stops the cluster again if it was not running
	@lab/install.sh cluster-tests
	@lab/cluster/cluster status >/dev/null 2>&1 || trap 'lab/cluster/cluster down' EXIT; \
	lab/cluster/cluster up; \
	run=$(RESULTS)-cluster/$$(date -u +%Y%m%dT%H%M%SZ); mkdir -p "$$run"; \
	for workload in $(WORKLOADS); do \
	  echo "== $$workload" >&2; \
	  lab/cluster/cluster exec $(N8N_TUNED) find --target kubernetes --workload $$workload \
	    --slo 'p95<300ms' --slo 'errors<1%' --budget $(BUDGET) --out "$$run" || [ $$? -eq 3 ]; \
	done; \
	ln -sfn "$${run##*/}" $(RESULTS)-cluster/latest; \
	$(N8N_TUNED) recommend --from "$$run" --workload $(firstword $(WORKLOADS)) --write "$$run/values.yaml"

##@ Documentation
.PHONY: site
SITE_REFS ?=
site: ## build the documentation as a site with a search into site/dist; SITE_REFS="TAG..." builds these versions
	@cd site && npm ci --no-audit --no-fund --loglevel=error
	@npx tsx site/build.ts $(SITE_REFS)

##@ Housekeeping
.PHONY: doctor clean help
doctor: build ## list what is installed and what is missing, and how to get it
	@$(N8N_TUNED) doctor

clean: ## remove what was built and recorded in this checkout; keeps the lab's cache
	@rm -rf dist cli/dist site/dist site/.work results coverage $(addprefix charts/n8n-load/files/,load-target loadtests workflows) charts/n8n-tuned/files/recover.cjs

help: ## this list
	@awk 'BEGIN {FS = ":.*## "} /^##@ / {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
