export * from '../../../loadtests/lib/slo';
