import { script } from './lib/script.ts';

const { options, setup, iteration, handleSummary } = script('stress');

export { options, setup, handleSummary };
export default iteration;
