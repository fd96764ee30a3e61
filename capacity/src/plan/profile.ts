export * from '../../../loadtests/lib/profile';
