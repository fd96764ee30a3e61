# shellcheck shell=bash disable=SC2034,SC2154
about='Express and NestJS, for studies/memory-over-time'
kind=npm-program
version=$HTTP_FRAMEWORKS_VERSION
contents='node_modules/express/package.json node_modules/@nestjs/core/package.json'
