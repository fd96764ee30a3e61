// What reports call a limit, for the pages of results.
import { compiled } from '../compiled.mjs';

export const { limitName } = compiled("export { limitName } from './analysis/limits/table';");
