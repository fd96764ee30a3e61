# shellcheck shell=bash disable=SC2034,SC2154
about='is in the image of the PostgreSQL that the chart deploys'
kind=postgresql
version=$POSTGRES_IMAGE_TAG
