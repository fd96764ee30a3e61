export * from '../../../loadtests/lib/arrivals';
export * from '../../../loadtests/lib/due';
export * from '../../../loadtests/lib/duration';
export * from '../../../loadtests/lib/open-limit';
export * from '../../../loadtests/lib/profile';
