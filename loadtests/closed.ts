import { script } from './lib/script.ts';

const { options, setup, iteration, handleSummary } = script('closed');

export { options, setup, handleSummary };
export default iteration;
