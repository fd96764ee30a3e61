import { script } from './lib/script.ts';

const { options, setup, iteration, handleSummary } = script('spike');

export { options, setup, handleSummary };
export default iteration;
