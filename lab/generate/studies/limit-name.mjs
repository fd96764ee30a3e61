// What reports call a limit, for the pages of results.
export { limitName } from '../../../cli/src/analysis/limits/table';
